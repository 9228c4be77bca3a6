"""Boosted trees and forests.

*boosted*: BoostedTreeClassifier; *boosting*: running its fit; *learners*: boosting of other
classifiers. *forests*: ForestClassifier and ForestRegressor; *base_forest*: what they have in
common. *parameters*, *files*, *reading* and *report*: of both kinds of ensembles.
"""
