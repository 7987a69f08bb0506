"""Generated C with a driver, a library or a board of its own."""
