"""The planners' inner loops in C++, loaded when they are built; see `library`."""
