"""``hopwatch top``: agents, live in a terminal."""
