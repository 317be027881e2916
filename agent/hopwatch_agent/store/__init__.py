"""The database: rows that wait to be landed, offsets, and the current state."""
