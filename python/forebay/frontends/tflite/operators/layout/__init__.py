"""Operators that move elements, or say where they are."""
