"""Who is connected to whom and when, whichever addresses the two ends know each other by, and by whose clock."""
