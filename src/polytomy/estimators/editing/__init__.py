"""Editing a tree by hand: ``polytomy.edit``."""
