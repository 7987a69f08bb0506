"""The files of a new target: a description, a driver in C, and a test, which run as they are.

May import `forebay.errors` and `support`. Gives `files_of`, the files of a target of a name. The
folder `files` has them for the name `my_npu`; docs/your-accelerator.md explains them.

Internal: may change without notice.
"""
