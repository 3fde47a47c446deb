"""The families; each module has a function `families`."""
