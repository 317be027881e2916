"""How agents are asked, and what is said where that fails."""
