"""What bears on why messages are missing: the two ends of a hop, its connection, its pipe, and what others lack."""
