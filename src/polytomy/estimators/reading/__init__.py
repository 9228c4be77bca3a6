"""Reading a fitted model of any kind: exports, the report, and the comparison of two models."""
