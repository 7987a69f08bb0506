"""Documents of Forebay that tests write down."""
