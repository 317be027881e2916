"""What messages take that wait in a queue, in bytes: as a process grows that queues 100,000 of them (libzmq 4.3.5, glibc)."""

SLOT = 64
"""A frame that is no longer than ``FITS_INTO_IT``."""
FITS_INTO_IT = 33
BESIDE_ONE = 120
"""What a longer one takes beside its length."""
