"""Streams that a socket shares out among its receivers: what is missing of them as a whole, on which hop, and why."""
