"""What makes records: profiles, worlds, environments, tasks and their gold plans.

Never imports `validators`: what decides about a record must not share code with what made it.
"""
