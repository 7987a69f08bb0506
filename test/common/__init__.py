"""What tests share: programs, reference implementations, tools."""
