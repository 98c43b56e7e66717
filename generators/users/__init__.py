"""Users who are simulated: what they understand, what they say and what they do."""
