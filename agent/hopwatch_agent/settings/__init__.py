"""The agent's settings: what there is (options), where each was said (sources), and what is made of them (sections)."""
