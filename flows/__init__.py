"""How the parts run together: Prefect flows around pure shard functions, presets and the command line.

Prefect is imported only by the modules that define flows, so that the command line answers at once.
"""
