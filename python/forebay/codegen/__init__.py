"""Print a materialised module at loop level as the files of a C project.

`c` prints functions, `project` writes the files around them.

Internal: may change without notice.
"""
