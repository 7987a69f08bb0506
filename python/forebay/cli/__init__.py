"""The commands `forebay`, `forebay-opt` and `forebay-lsp-server`.

Parses arguments, calls the API, prints results and errors, and sets the exit code. May import every
other package; no other package imports it.

Internal: may change without notice.
"""
