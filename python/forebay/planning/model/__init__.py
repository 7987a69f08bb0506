"""The data of planning: pools, buffers, separations, problems, plans, and their errors.

Imports nothing else of Forebay but the root error class.
"""
