"""Twenty columns of categories, from 10 to 10,000 of them each."""

from functools import partial

from case import Case, Group, Size
from tables import Recipe, table_of


def group(size: Size) -> Group:
    """Return the cases."""
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
        who=("ours", "ours, hatano", "LightGBM", "LightGBM col-wise", "XGBoost", "YDF CART"),
        seconds=20.0,
        memory=size.looked_at("ours", "LightGBM"),
    )
    title = f"Categories: {rows:,} x 20 categorical columns, 64 leaves"
    note = (
        "From a pandas frame of categories to a fitted model. Native handling of categories where "
        "there is one; scikit-learn's tree gets one-hot columns."
    )
    return Group("categories", title, note, (*cases, large), axis="categories")
