"""``hopwatch status``: one look at every agent."""
