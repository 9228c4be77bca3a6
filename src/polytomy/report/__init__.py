"""The report on a model: its facts as plain data, and an HTML page that shows them.

``facts`` collects plain data about a tree or an ensemble, ``page`` renders it as one self-contained
HTML file, and ``notebook`` renders a tree as a small piece of HTML without scripts.
"""
