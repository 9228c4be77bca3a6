"""The report page: facts of a model as plain data, then a self-contained HTML file."""
