"""The executable environment: a runtime (state, tools, gates, clock, ids) and one folder per service.

Everything an agent or a simulated user can do happens here, the same way in generation, rollout and
scoring. The runtime names no concrete service; services register under the `pausegen.services` entry points.
"""
