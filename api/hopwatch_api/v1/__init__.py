"""Version 1 of the interface: what it answers is a contract. Fields are added, none is removed, renamed or made another type: that is for a version 2 beside it."""
