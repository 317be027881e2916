"""What an instrumented process writes for the agent (FORMAT.md)."""
