"""Conversations: an assistant, a user and an environment, run turn by turn into a trajectory."""
