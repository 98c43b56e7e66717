"""Errors that end a command. Each carries the exit code and a message that says what happened and what to do.

A rejected record is data, not an error. Every class takes the message alone, so that it survives pickling.
"""

from __future__ import annotations


class PausegenError(Exception):
    """Ends a command with a message and exit code 1."""

    exit_code = 1


class ConfigError(PausegenError):
    """A wrong option, preset or configuration, or a folder that does not fit it."""

    exit_code = 2


class StoreError(PausegenError):
    """A file of a run that is missing, damaged or not what it says."""


class InfrastructureError(PausegenError):
    """A helper process that crashed, hung or answered nonsense. Nothing is known about the records; try again."""


class ShortageError(PausegenError):
    """Some users have fewer tasks than asked for after every batch of candidates."""

    exit_code = 3


class BudgetError(PausegenError):
    """The next call of a model might cost more than is left; finished calls stay and more budget resumes the run."""

    exit_code = 4


class UnreachableError(PausegenError):
    """A model cannot be reached or does not answer; finished calls stay and the same command resumes the run."""


class InterruptedRun(PausegenError):
    """The run was stopped from outside; what is finished stays and the same command resumes it."""

    exit_code = 130
