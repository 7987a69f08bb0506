"""Memory maps of Forebay in Model Explorer. Imports `forebay.api` and `model_explorer` only."""
