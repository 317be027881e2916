"""``hopwatch completion``: what a shell offers when TAB is pressed."""
