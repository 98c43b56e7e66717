"""What is exchanged and stored, as frozen pydantic models and nothing else.

JSON Schemas are derived from here. This package imports no other package of the project, so that
every part can speak the same language without depending on how another part works.
"""
