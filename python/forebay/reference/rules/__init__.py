"""What each op computes, a file per family of ops; found by `forebay.reference.registry`."""
