"""What is told of the losses: incidents with evidence and advice, the verdict, and report.json."""
