"""The causes, a file each, and their registry."""
