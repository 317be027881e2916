"""What each receiver was owed and did not get, and on which hop each such range was lost."""
