"""What the suites in Python have in common: see README.md. Standard library only."""
