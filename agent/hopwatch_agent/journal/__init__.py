"""Reading of journal files; nothing here writes to them."""
