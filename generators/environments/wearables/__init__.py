"""Seeds the wearables of one user: a month of signals, workouts and nights."""
