"""Small networks of our own, with golden outputs: see README.md."""
