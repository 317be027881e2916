"""What a following job does where it is not told otherwise, in seconds."""

LATE = 60.0
WINDOW = 3600.0
EVERY = 30.0
