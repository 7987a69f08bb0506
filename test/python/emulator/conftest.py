"""Modules beside the tests."""
