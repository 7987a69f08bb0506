"""What each op does, a file per dialect or family; found by `forebay.emulator.registry`."""
