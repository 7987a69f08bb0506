"""What each op does: one file per dialect or family, found by `emulator.interpreter.registry`."""
