"""Wrong plans and programs, made from right ones, and whether the emulator reports them."""
