"""A lossy ZeroMQ system on this machine, from sockets to report."""
