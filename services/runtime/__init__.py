"""The runtime: state, tools, gates, clock and ids; it names no service."""
