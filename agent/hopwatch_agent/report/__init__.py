"""What an analysis has found, read from its report.json: the agent knows that file by its format, and nothing else of the analysis."""
