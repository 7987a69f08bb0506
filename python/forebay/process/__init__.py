"""The command as a process: signals, child processes, standard streams. Imports no MLIR."""
