"""Several agents as they are known at one moment, and how that is kept up to date."""
