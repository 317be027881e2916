"""What ROUTERs lose, who send by routing id to one peer at a time."""
