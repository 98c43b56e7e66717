"""Assistants: the oracle and its variants, imperfect ones as controls, and any model."""
