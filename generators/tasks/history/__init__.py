"""What intents that look back at past orders share: binding, goal parts and program parts."""
