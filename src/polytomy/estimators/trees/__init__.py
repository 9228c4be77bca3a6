"""TreeClassifier and TreeRegressor."""
