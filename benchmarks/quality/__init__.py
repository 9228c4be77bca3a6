"""The quality of small trees: learners, measures and the summary of ``benchmarks/study.py``."""
