"""What all estimators share: input, rows, threads, parameters, fitted state and model files."""
