"""Forebay: every buffer of a neural network in a named memory pool."""
