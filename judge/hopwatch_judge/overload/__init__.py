"""Whether a receiver is too slow for what it is sent, or met bursts that were longer than its pipe."""
