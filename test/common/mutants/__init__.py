"""Wrong plans, cascades, copies and instructions, and who refuses them."""
