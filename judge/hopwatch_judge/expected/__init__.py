"""What each receiver was owed, and which numbers of it did not come."""
