"""HTTP status of one agent."""
