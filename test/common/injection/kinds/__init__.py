"""Kinds of mistakes, one per file: each draws changes of a right module, in any order."""
