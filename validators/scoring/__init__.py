"""Scoring of conversations: pass or fail by execution, what was told and asked, errors by class, figures over many."""
