"""What intents around the user's notes share: binding, goal parts and program parts."""
