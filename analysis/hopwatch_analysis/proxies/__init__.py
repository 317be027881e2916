"""What proxies tell of the messages that pass them, and what of it holds for all receivers behind one."""
