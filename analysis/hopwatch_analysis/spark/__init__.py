"""Spark itself: its Java process, the session, and what is done to frames whatever they hold."""
