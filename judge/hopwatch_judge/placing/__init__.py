"""On which hop missing messages were lost: by who lacks them together, full pipes, and proxies' counts."""
