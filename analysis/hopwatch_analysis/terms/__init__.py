"""What all steps share: arithmetic on ranges of numbers, delays, stretches of time, accounts, and the keys of tables."""
