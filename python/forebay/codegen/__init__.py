"""From a materialised module at loop level to the files of a C project.

`c` prints functions, `project` writes the files around them.
"""
