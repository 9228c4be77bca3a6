"""Boosted trees and forests."""
