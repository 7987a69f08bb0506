"""One module per family of TFLite operators; each registers its lowerings on import."""
