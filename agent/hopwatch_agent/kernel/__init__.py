"""What the kernel knows: of TCP connections, of processes, and of the memory of their cgroups."""
