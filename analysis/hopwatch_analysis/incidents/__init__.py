"""What the accounts sum up to: incidents, the ledger, findings, and the timeline of each hop."""
