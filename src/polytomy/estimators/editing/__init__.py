"""Editing a tree by hand, with the price of every edit: ``polytomy.edit``.

*session*: the edits. *history*: the tree, its rows and its steps. *results*: what edits return.
*replay*: the edits on other rows.
"""
