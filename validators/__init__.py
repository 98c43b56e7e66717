"""What must hold before a record moves on, one folder per stage, and the contract evaluator.

A check is a small function from a record and its context to a verdict, and everything fails closed.
Never imports `generators`: a check must not trust the code that made the record.
"""
