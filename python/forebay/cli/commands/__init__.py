"""The commands of `forebay`, one per file with the name of the command.

Each has `add_arguments(parser)`, which sets `run` to a function of the parsed arguments that
returns the exit code. `forebay.cli.parser` lists them, and imports only the chosen one.

Internal: may change without notice.
"""
