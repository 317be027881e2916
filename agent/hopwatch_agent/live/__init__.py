"""What is known of processes, sockets, lanes and connections at this moment."""
