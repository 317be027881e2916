"""Sockets, their options, and the nodes that they belong to."""
