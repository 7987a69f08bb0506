"""Lets the tests import what they share: the modules of this folder."""
