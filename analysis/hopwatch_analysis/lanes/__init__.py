"""How messages are numbered or counted: what was sent, and what each receiver has of it."""
