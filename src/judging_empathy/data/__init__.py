"""The study's files: where they are, what they hold, names, simulated stand-ins."""
