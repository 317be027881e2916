"""Spark jobs that find the hop that loses messages, and why."""
