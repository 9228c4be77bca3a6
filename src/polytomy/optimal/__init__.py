"""How far a tree is from the best one of its size: lower bounds by branch and bound."""
