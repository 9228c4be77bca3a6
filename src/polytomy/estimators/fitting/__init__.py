"""How a tree is fitted.

*plan*: how many leaves to grow, and how to prune them. *constraints*: columns and branches that
trees may have. *growing*: growing and pruning as planned. *size_selection*: the number of leaves by
cross-validation. *cross_fitting*: what to expect of new rows in the leaves. *teacher*: forecasts
that soften the labels. *effort*: a teacher, a search and polishing together.
"""
