"""Landed files in and results out: found, checked and read, and what cannot be used named and left out."""
