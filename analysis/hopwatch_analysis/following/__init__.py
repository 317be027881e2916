"""The analysis as a job that runs on: incidents land as they close, each once."""
