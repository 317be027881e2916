"""Cases: what is known of streams that meet, gathered for the judge, and what it says of them."""
