"""What each op accesses, whether it may, and what this does to the state.

May import all packages of the check but `program`.

Internal: may change without notice.
"""
