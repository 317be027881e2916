"""Why messages were lost: one cause for each run of them, and how sure it is."""
