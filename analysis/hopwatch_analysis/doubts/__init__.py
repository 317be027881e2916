"""What is not known for sure of a socket or a way, so that no cause there is exact, or none is told."""
