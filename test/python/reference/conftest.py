"""Makes the helpers beside the tests importable."""
