"""Missing numbers as losses of hops: each once, however many receivers behind the hop lack them."""
