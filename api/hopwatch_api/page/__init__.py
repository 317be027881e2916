"""The page at ``/``: files that a browser runs as they are."""
