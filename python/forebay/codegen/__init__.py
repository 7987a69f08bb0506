"""From a materialised, loop-level module to a C project, or to LLVM."""
