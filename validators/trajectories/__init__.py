"""What must hold before a recorded conversation is kept."""
