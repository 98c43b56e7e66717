"""Checks of tasks: what must hold before a task is kept, one idea per file."""
