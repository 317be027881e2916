"""An example of each answer, as an agent gave it whose PUB ``quotes`` sends faster than its SUB ``slow`` reads: shortened, with other names of places."""
