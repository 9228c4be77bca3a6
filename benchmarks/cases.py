"""All cases of the suite, in groups; the most important groups first, while there is time."""

from collections.abc import Callable
from functools import partial
from typing import Any

from case import ALL, FAST, Case, Group, Size
from contenders import Contender, Job, is_installed
from same_trees import PEER, start_voting
from sklearn.datasets import load_iris
from tables import Data, Recipe, has_real_table, real_table, table_of

HATANO, DEFAULT = "ours, hatano", "ours, default"
MANY, LARGE = 1_000_000, 10_000_000  # rows that the targets refer to
QUICK = 25_000  # stands for both in a quick trial
SKLEARN_LIMIT = 90.0  # seconds: scikit-learn's tree on a million rows, for a target, is run once
TRAINING_ROWS = 50_000  # of the models that are timed when predicting
BOOSTED_TREES = 200
FROM_ARRAY = "From a row-major float32 array to a fitted model."
EXCEPT_COL_WISE = tuple(name for name in ALL if name != "LightGBM col-wise")


def groups_of(size: Size) -> list[Group]:
    """Return the groups, in the order in which they run."""
    return [make(size) for make in GROUPS]


# ---- fitting a tree --------------------------------------------------------------------------


def by_rows(size: Size) -> Group:
    """Return the cases from a thousand to ten million rows."""

    def case(rows: int) -> Case:
        who = ("ours", DEFAULT, HATANO, *ALL[1:])
        settings: dict[str, Any] = {"seconds": 7.0, "rounds": 15}
        if rows == (QUICK if size.quick else MANY):
            settings = {"seconds": 70.0, "limit": SKLEARN_LIMIT, "rounds": 7}
            settings |= {"memory": FAST[:2] if size.quick else (*FAST, "YDF CART")}
        if rows == LARGE:
            who = ("ours", DEFAULT, HATANO, *FAST[1:])
            settings = {"seconds": 50.0, "limit": 25.0, "rounds": 3, "memory": ("ours", "LightGBM")}
        make = partial(table_of, Recipe(rows))
        return Case(f"{rows:,}", f"rows/{rows}", make, size.job(), who, at=rows, **settings)

    steps = (1_000, 5_000, QUICK) if size.quick else (1_000, 10_000, 100_000, MANY, LARGE)
    title = "Rows: 20 columns, two classes, 64 leaves"
    return Group("rows", title, FROM_ARRAY, tuple(map(case, steps)), axis="rows")


def encoded(size: Size) -> Group:
    """Return the cases that start from an encoded table."""

    def start(contender: Contender, data: Data, job: Job) -> Callable[[], Any]:
        table = contender.encode(data, job)
        return lambda: contender.grow(table, job)

    cases = tuple(
        Case(
            f"{rows:,} rows",
            f"encoded/{n}",
            partial(table_of, Recipe(rows)),
            size.job(),
            ("ours", HATANO, "LightGBM", "LightGBM col-wise", "XGBoost"),
            start,
            seconds=6.0,
            rounds=9,
        )
        for n in (30_000, 1_000_000)
        for rows in [size.rows(n)]
    )
    note = (
        "From the library's own form of the table (our codes, LightGBM's constructed Dataset, "
        "XGBoost's quantile matrix) to a tree."
    )
    return Group("encoded", "Encoded tables: 20 columns, 64 leaves", note, cases)


def regression(size: Size) -> Group:
    """Return the cases with a numeric target."""
    cases = tuple(
        Case(
            f"{rows:,} rows",
            f"regression/{n}",
            partial(table_of, Recipe(rows, numeric=True)),
            size.job(),
            ("ours", DEFAULT, "LightGBM", "DecisionTree"),
            limit=SKLEARN_LIMIT,
            seconds=seconds,
        )
        for n, seconds in ((10_000, 6.0), (MANY, 60.0))
        for rows in [size.rows(n)]
    )
    note = f"{FROM_ARRAY} The error is relative: 1 is that of the mean."
    return Group("regression", "Regression: 20 columns, 64 leaves", note, cases)


def by_leaves(size: Size) -> Group:
    """Return the cases from 8 leaves to as many as it takes until every leaf is pure."""
    rows = size.rows(100_000)
    make = partial(table_of, Recipe(rows))
    cases = [
        Case(f"{n:,}", f"leaves/{n}", make, size.job(n), at=n, seconds=7.0)
        for n in size.steps(8, 64, 1000)
    ]
    pure: dict[str, Any] = {
        "seconds": 25.0,
        "always": ("DecisionTree",),
        "memory": size.memory_of("ours", "DecisionTree"),
    }
    cases.append(Case("until pure", "leaves/pure", make, size.job(None), **pure))
    title = f"Leaves: {rows:,} x 20, two classes"
    return Group("leaves", title, FROM_ARRAY, tuple(cases), axis="leaves")


def by_categories(size: Size) -> Group:
    """Return the cases with 10 to 10,000 categories in each of twenty columns."""
    rows, many = size.rows(100_000), size.rows(1_000_000)
    cases = [
        Case(
            f"{n:,} categories",
            f"categories/{n}",
            partial(table_of, Recipe(rows, categories=n)),
            size.job(),
            at=n,
            seconds=8.0,
        )
        for n in size.steps(10, 100, 1000, 10_000)
    ]
    large = Case(
        f"1,000 categories, {many:,} rows",
        "categories/large",
        partial(table_of, Recipe(many, categories=1000)),
        size.job(),
        who=("ours", HATANO, "LightGBM", "LightGBM col-wise", "XGBoost", "YDF CART"),
        seconds=20.0,
        memory=size.memory_of("ours", "LightGBM"),
    )
    title = f"Categories: {rows:,} x 20 categorical columns, 64 leaves"
    note = (
        "From a pandas data frame of categories to a fitted model. Libraries use their native "
        "handling of categories if they have one; scikit-learn's tree gets one-hot columns."
    )
    return Group("categories", title, note, (*cases, large), axis="categories")


def by_columns(size: Size) -> Group:
    """Return the cases from 5 to 500 columns."""
    rows = size.rows(100_000)
    cases = [
        Case(
            f"{columns}",
            f"columns/{columns}",
            partial(table_of, Recipe(rows, columns)),
            size.job(),
            at=columns,
            seconds=20.0 if columns > 100 else 4.0,
            memory=("ours", "LightGBM") if columns > 100 else (),
        )
        for columns in size.steps(5, 20, 100, 500)
    ]
    title = f"Columns: {rows:,} rows, two classes, 64 leaves"
    return Group("columns", title, FROM_ARRAY, tuple(cases), axis="columns")


def kinds(size: Size) -> Group:
    """Return the cases with ten classes, with missing cells and with weights."""
    rows = size.rows(200_000)
    recipes = {
        "as it is": Recipe(rows),
        "10 classes": Recipe(rows, classes=10),
        "10 % of the cells missing": Recipe(rows, missing=0.1),
        "weights": Recipe(rows, weighted=True),
    }
    cases = tuple(
        Case(name, f"kinds/{name}", partial(table_of, recipe), size.job(), seconds=7.0)
        for name, recipe in recipes.items()
    )
    note = (
        f"{FROM_ARRAY} With ten classes LightGBM, XGBoost and HistGradientBoosting grow ten trees "
        "of 64 leaves, the others one."
    )
    return Group("kinds", f"Kinds of tables: {rows:,} x 20, 64 leaves", note, cases)


def procedures(size: Size) -> Group:
    """Return the cases of polytomy's procedures."""
    rows = size.rows(1_000_000)
    ours = ("ours", HATANO, "ours, mansour-mcallester", "ours, kearns-mansour")
    cases = tuple(
        Case(
            f"{leaves} leaves",
            f"procedures/{leaves}",
            partial(table_of, Recipe(rows)),
            size.job(leaves),
            who=(*ours, "LightGBM"),
            seconds=7.0,
        )
        for leaves in (8, 64)
    )
    note = "From a row-major float32 array to a fitted model; `mansour-mcallester` with gamma 0.1."
    return Group("procedures", f"Procedures: {rows:,} x 20, two classes", note, cases)


def real_tables(size: Size) -> Group:
    """Return the cases of the real tables that are in the data folder."""
    wanted = ("adult",) if size.quick else ("adult", "covertype")
    found = [name for name in wanted if has_real_table(name)]
    cases = tuple(
        Case(name, f"real/{name}", partial(real_table, name), size.job(), seconds=9.0)
        for name in found
    )
    note = (
        "From a pandas data frame of float32 and categories to a fitted model, 64 leaves. "
        "adult: 48,842 x 14, covertype: 581,012 x 12, seven classes (LightGBM, XGBoost and "
        "HistGradientBoosting: one tree per class)."
    )
    absent = [name for name in wanted if name not in found]
    if absent:
        note += f" Not in the data folder, so not run: {', '.join(absent)}."
    return Group("real", "Real tables", note, cases)


def small(size: Size) -> Group:
    """Return the cases of iris, with 150 rows, where only overhead counts."""

    def iris() -> Data:
        return Data(*load_iris(return_X_y=True))

    def start_predicting(contender: Contender, data: Data, job: Job) -> Callable[[], Any]:
        model = contender.fit(data, job)
        return lambda: contender.predict(model, data, job)

    settings: dict[str, Any] = {"who": EXCEPT_COL_WISE, "always": ("LightGBM", "DecisionTree")}
    settings |= {"seconds": 4.0, "rounds": 200}
    by_default = settings | {"who": ("ours", DEFAULT, "LightGBM", "DecisionTree")}
    cases = (
        Case("fit until pure", "small/fit", iris, size.job(None), **settings),
        Case("fit, 32 leaves", "small/default", iris, size.job(32), **by_default),
        Case("predict", "small/predict", iris, size.job(None), start=start_predicting, **settings),
    )
    note = "From scikit-learn's float64 array of iris."
    return Group("small", "Small tables: iris, 150 x 4, three classes", note, cases)


# ---- boosting and predicting -----------------------------------------------------------------


def boosting(size: Size) -> Group:
    """Return the cases of boosted stumps."""
    rows = size.rows(100_000)
    make = partial(table_of, Recipe(rows))
    ours = ("ours, adaboost-real", "ours, adaboost", "ours, logitboost")
    peers = ("LightGBM", "LightGBM col-wise", "XGBoost", "HistGradientBoosting")
    few: dict[str, Any] = {"who": (*ours, *peers, "AdaBoost"), "seconds": 10.0}
    many: dict[str, Any] = {"who": (*ours, *peers), "seconds": 14.0}
    many["memory"] = size.memory_of(ours[0], "LightGBM")
    cases = (
        Case("20 stumps", "boosting/20", make, size.job(2, 20), **few),
        Case("200 stumps", "boosting/200", make, size.job(2, 200), **many),
    )
    note = (
        "From a row-major float32 array to a fitted ensemble. Ratios are those of `adaboost-real`."
    )
    return Group("boosting", f"Boosting: {rows:,} x 20, two classes", note, cases)


def predicting(size: Size) -> Group:
    """Return the case of predicting a million rows."""

    def start(contender: Contender, data: Data, job: Job) -> Callable[[], Any]:
        model = contender.fit(data.first(TRAINING_ROWS), job)
        return lambda: contender.predict(model, data, job)

    rows = size.rows(1_000_000)
    settings: dict[str, Any] = {"who": EXCEPT_COL_WISE, "start": start, "seconds": 7.0}
    settings["always"] = ("LightGBM", "DecisionTree")
    settings["memory"] = size.memory_of("ours", "DecisionTree")
    make = partial(table_of, Recipe(rows))
    cases = (Case("64 leaves", "predict/64", make, size.job(), **settings),)
    note = (
        "Classes of all rows of the raw float32 array, from models fitted on "
        f"{TRAINING_ROWS:,} of them."
    )
    return Group("predict", f"Predict: {rows:,} x 20", note, cases)


def voting(size: Size) -> Group:
    """Return the cases of voting with the same trees as LightGBM, if it is installed."""
    rows = size.rows(1_000_000)
    cases = tuple(
        Case(
            f"{BOOSTED_TREES} trees of {leaves} leaves",
            f"voting/{leaves}",
            partial(table_of, Recipe(rows)),
            size.job(leaves, BOOSTED_TREES),
            ("ours", PEER),
            start_voting,
            seconds=5.0,
            rounds=5,
        )
        for leaves in (2, 8)
        if is_installed(PEER)
    )
    note = "LightGBM's trees in both libraries: the same votes from the raw float32 array."
    return Group("voting", f"Votes: {rows:,} x 20", note, cases)


GROUPS = (
    by_rows,
    encoded,
    regression,
    by_leaves,
    by_categories,
    small,
    predicting,
    boosting,
    by_columns,
    kinds,
    procedures,
    real_tables,
    voting,
)
