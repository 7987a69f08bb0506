"""What Forebay tells people about what it did."""
