"""What each tab shows of a picture."""
