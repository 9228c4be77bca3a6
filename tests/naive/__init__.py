"""Slow, obvious twins of the fast code: everything is enumerated, nothing is clever.

They share no code with the package beyond its plain data types and the exact integer weights.
"""
