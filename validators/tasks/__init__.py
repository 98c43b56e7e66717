"""Checks of tasks: what must hold before a task is kept, one idea per file."""

from __future__ import annotations

from validators.tasks.checks import TASK_CHECKS, check_task, check_tasks
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.controls import check_other_gold
from validators.tasks.kinship import check_kin

__all__ = ["TASK_CHECKS", "TaskContext", "UserContext", "check_kin", "check_other_gold", "check_task", "check_tasks"]
