"""The agent's log: one record a line on standard error, of named events with fields, bounded by kind."""
