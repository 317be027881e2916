"""Instrumented sockets: subclasses that count what a pyzmq socket does."""
