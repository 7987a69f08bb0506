"""The token machine's programs, as the emulator's tests have them, can be imported by name."""
