"""What all estimators share: input, rows, threads, parameters, fitted state and model files.

*models*: the base classes of all models, of classifiers and of regressors. *input*: tables from
arrays, data frames and lazy tables. *rows*: classes or numbers, with weights. *snapshots*: a fit
replaces the model in one step. *parameters*: their documentation and checks, and the record of a
fit. *callbacks*: progress of a fit. *files*: save, load, verify.
"""
