"""Where messages are sitting: what a lane's sender has numbered and its receivers have not seen."""
