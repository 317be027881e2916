"""Socket monitors: which connections a socket has, told by libzmq itself."""
