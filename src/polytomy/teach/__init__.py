"""Teachers: models whose predictions replace part of the labels a tree is grown on."""
