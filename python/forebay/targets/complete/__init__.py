"""Complete targets: the class, and loading by name, from files, and from options.

May import `description`, `declared`, `ir` and `support`. Gives `Target`, which checks its parts and
adds what follows from declared intrinsics, and `load`.

Internal: may change without notice.
"""
