"""Streams that are shared out among receivers (PUSH, DEALER, REQ): whose each missing message was cannot be told from numbers alone."""
