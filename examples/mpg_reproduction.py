"""
The MPG experiment of the boosting lecture
==========================================

Chi-square pruning of trees grown on 40 cars.

The slides grow an ID3 tree on 40 of 392 cars, which predicts whether the mileage is good or bad,
and prune it: "delete splits in which p_chance > MaxPchance". With MaxPchance = 0.1 they report 5
errors on 40 training cars (12.50 %) and 56 on 352 test cars (15.91 %). They print 18 of the 40 cars
and say that seven of the 40 have four cylinders and an Asian maker. So this example repeats the
experiment with many random choices of 40, and with choices that agree with what the slides reveal,
and compares the results with the slides.

Run ``python mpg_reproduction.py [--splits N] [--tries N]``. docs/tutorials/mpg.md
discusses the results.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import chdtrc

from polytomy import TreeClassifier
from polytomy.data import load_cars
from polytomy.encode import Coded, Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.prune import chi_square, p_chance
from polytomy.table import Table, frame_of
from polytomy.tree import CategorySplit, Tree, TreeBuilder, pruned

TRAIN, TEST = 40, 352
SEED = 5
SLIDE_TRAINING, SLIDE_TEST = 5, 56  # errors of 40 and of 352
FOUR_ASIAN = 7  # of the 40 cars have four cylinders and an Asian maker
SLIDE_LIMIT, SLIDE_CHANCE = 0.1, 0.135  # MaxPchance, and p_chance(mpg, maker)
LIMITS = (1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001)  # 1: unpruned
AT_SLIDE = LIMITS.index(SLIDE_LIMIT)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

# ---- the table of the slides ---------------------------------------------------------------

# The cars that the slides show both as numbers and as categories.
TWICE = """
good 4  97  75 2265 18.2 77 asia     low    low    low    high   75to78
bad  6 199  90 2648 15   70 america  medium medium medium medium 70to74
bad  4 121 110 2600 12.8 77 europe   medium medium medium low    75to78
bad  8 350 175 4100 13   73 america  high   high   high   low    70to74
bad  6 198  95 3102 16.5 74 america  medium medium medium medium 70to74
bad  4 108  94 2379 16.5 73 asia     low    medium low    medium 70to74
bad  4 113  95 2228 14   71 asia     low    medium low    low    70to74
bad  8 302 139 3570 12.8 78 america  high   high   high   low    75to78
good 4 120  79 2625 18.6 82 america  low    low    medium high   79to83
bad  8 455 225 4425 10   70 america  high   high   high   low    70to74
good 4 107  86 2464 15.5 76 europe   low    medium low    medium 75to78
bad  5 131 103 2830 15.9 78 europe   medium medium medium medium 75to78
"""
# The cars that the slides show as categories only.
ONCE = """
bad  8 high   high   high   low  70to74 america
good 8 high   medium high   high 79to83 america
bad  8 high   high   high   low  75to78 america
good 4 low    low    low    low  79to83 america
bad  6 medium medium medium high 75to78 america
good 4 medium low    low    low  79to83 america
"""
MEASURED = ("displacement", "horsepower", "weight", "acceleration")
LEVELS = ("low", "medium", "high")
YEARS = ("70to74", "75to78", "79to83")
MAKER = {"USA": "america", "Japan": "asia", "Europe": "europe"}

Columns = dict[str, np.ndarray]
Chances = dict[str, list[tuple[float, bool]]]  # by set of cars: p_chance, and if it is rough


class Cut(NamedTuple):
    """A threshold of a column: the slides' rows only show that it lies in [``low``, ``high``)."""

    at: float
    low: float  # the largest value below it in the slides
    high: float  # the smallest value above it in the slides
    quantile: float  # the tercile of the 392 cars, or the median


def cars_of_the_slides(cars: Columns, maker: np.ndarray) -> list[int]:
    """Return the rows of the cars that the slides show as numbers; each matches exactly one car."""
    names = ("cylinders", *MEASURED, "year")
    found = []
    for line in TWICE.strip().splitlines():
        _, *numbers, made_in = line.split()[:8]
        wanted = [float(x) for x in numbers]
        wanted[-1] += 1900
        same = [cars[name] == x for name, x in zip(names, wanted, strict=True)]
        (car,) = np.flatnonzero(np.all(same, axis=0) & (maker == made_in))
        found.append(int(car))
    return found


def cut_between(values: np.ndarray, rows: list[int], is_above: list[bool], share: float) -> Cut:
    """Return the threshold closest to a quantile that agrees with the slides' rows.

    Displacement 120 is low and 121 is medium, so that threshold is known. The others are only known
    to lie in a gap, and the terciles are in these gaps or close to them. So the categories of the
    slides seem to be of about equal size, but they are not terciles of the 392 cars: weight 2464 is
    low, and the first tercile is 2397.
    """
    shown, above = values[rows], np.array(is_above)
    low, high = shown[~above].max(), shown[above].min()
    quantile = float(np.quantile(values, share))
    cut = Cut(min(max(quantile, low), np.nextafter(high, low)), low, high, quantile)
    assert low <= cut.at < high, "the slides' rows contradict each other"
    return cut


def find_cuts(cars: Columns, rows: list[int]) -> dict[str, list[Cut]]:
    """Return thresholds of the mileage, near the median, and of the measurements, near terciles."""
    lines = [line.split() for line in TWICE.strip().splitlines()]
    cuts = {"mpg": [cut_between(cars["mpg"], rows, [x[0] == "good" for x in lines], 1 / 2)]}
    for j, name in enumerate(MEASURED):
        level = [LEVELS.index(x[8 + j]) for x in lines]
        cuts[name] = [
            cut_between(cars[name], rows, [x > i for x in level], (i + 1) / 3) for i in (0, 1)
        ]
    return cuts


def as_categories(cars: Columns, maker: np.ndarray, cuts: dict[str, list[Cut]]) -> Columns:
    """Return the table of the slides: all columns except the mileage, as categories."""
    out = {"cylinders": cars["cylinders"].astype(int).astype(str)}
    for name in MEASURED:
        out[name] = np.array(LEVELS)[np.searchsorted([c.at for c in cuts[name]], cars[name])]
    out["modelyear"] = np.array(YEARS)[np.searchsorted([1974, 1978], cars["year"])]
    return out | {"maker": maker}


def check_rows(table: Columns, good: np.ndarray, rows: list[int]) -> None:
    """Assert that the slides' rows are reproduced."""
    made = np.column_stack([np.where(good, "good", "bad"), *table.values()]).tolist()
    for car, line in zip(rows, TWICE.strip().splitlines(), strict=True):
        mpg, cylinders, *_, made_in = (words := line.split())[:8]
        assert made[car] == [mpg, cylinders, *words[8:], made_in], line
    for line in ONCE.strip().splitlines():
        assert line.split() in made, line  # at least one car matches


# ---- choices of 40 cars --------------------------------------------------------------------


def random_orders(rng: np.random.Generator, splits: int, n_cars: int) -> np.ndarray:
    """Return the cars in random orders; the first 40 of each are the training cars."""
    return rng.permuted(np.tile(np.arange(n_cars), (splits, 1)), axis=1)


def orders_like_the_slides(
    rng: np.random.Generator, table: Columns, good: np.ndarray, shown: list[int]
) -> Iterator[np.ndarray]:
    """Yield orders whose first 40 cars agree with the slides, without end.

    They include the 12 cars that are known, a random one of those that match each of the 6 rows of
    categories, and exactly seven with four cylinders and an Asian maker.
    """
    made = np.column_stack([np.where(good, "good", "bad"), *table.values()])
    matching = [np.flatnonzero((made == row.split()).all(1)) for row in ONCE.strip().splitlines()]
    matching = [np.setdiff1d(cars, shown) for cars in matching]
    asian = (table["cylinders"] == "4") & (table["maker"] == "asia")
    while True:
        known = [*shown, *(cars[rng.integers(len(cars))] for cars in matching)]
        rest = np.ones(len(good), dtype=bool)
        rest[known] = False
        assert rest.sum() == len(good) - len(known)  # no car matches two of the rows
        here, others = (rng.permutation(np.flatnonzero(rest & x)) for x in (asian, ~asian))
        first = FOUR_ASIAN - np.count_nonzero(asian[known])
        second = TRAIN - len(known) - first
        yield np.concatenate([known, here[:first], others[:second], here[first:], others[second:]])


def splits_like_the_slides(tree: Tree, coded: Coded) -> bool:
    """Return whether a tree splits on the cylinders, and on the maker below four cylinders."""
    names = coded.schema.names
    if tree.is_leaf(0) or names[tree.feature[0]] != "cylinders":
        return False
    four = list(coded.schema[tree.feature[0]].categories).index("4")
    below = tree.children(0)[tree.split(0).code_to_branch[four]]
    return not tree.is_leaf(below) and names[tree.feature[below]] == "maker"


def show_gains(table: Columns, good: np.ndarray, rows: np.ndarray) -> None:
    """Print the information gain of every column for some cars, and the ID3 tree."""
    cars = {name: cells[rows] for name, cells in table.items()}
    labels = np.where(good[rows], "good", "bad")
    clf = TreeClassifier(None, procedure="id3", honest=False)
    clf.fit(frame_of(cars), labels)
    print("One choice of 40 cars that agrees with the slides. Information gains at the root, and")
    print(f"the columns that ID3 would split on below it; its tree has {clf.n_leaves_} leaves.")
    print(clf.split_table(frame_of(cars), labels))
    for node in clf.tree_.children(0).tolist():
        if not clf.tree_.is_leaf(node):
            best = clf.split_table(frame_of(cars), labels, node=node)[0]
            print(f"  node {node}: {best.column}, {best.gain:.3f} bits, p {best.p_value:.3f}")
    print()


# ---- trees on 40 cars ----------------------------------------------------------------------


def by_value(codes: np.ndarray, labels: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the class counts of each code, shape (codes, 2)."""
    return np.bincount(2 * codes.astype(int) + labels, minlength=2 * n_codes).reshape(-1, 2)


def split_by_value(builder: TreeBuilder, node: int, column: int, counts: np.ndarray) -> list[int]:
    """Give a node one child per value; values it lacks will go to the child with the most cars."""
    present = counts.sum(axis=1) > 0
    branch = np.where(present, np.cumsum(present) - 1, -1).astype(np.int32)
    children = counts[present]
    split = CategorySplit(column, branch, -1, int(children.sum(axis=1).argmax()))
    return builder.split(node, split, children.astype(float), children.sum(axis=1).tolist())


def grown(**params) -> Callable[[Coded, np.ndarray], Tree]:
    """Return a function that grows one of the library's trees until no leaf can be split."""
    settings = GrowParams(index="entropy", max_leaves=None, **params)
    return lambda coded, labels: grow(coded, Target.of(labels, 2), settings).tree


def corrected_chance(table: np.ndarray) -> float:
    """Return p_chance with a continuity correction of half a car in each cell."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    off = np.maximum(np.abs(table - expected) - 0.5, 0)
    return float(chdtrc(len(table) - 1, (off**2 / expected).sum()))


def corrected_cut(tree: Tree, limit: float) -> list[int]:
    """Return the nodes to prune, as ``chi_square`` does, but by the corrected test.

    The library does not have this test. The slides only mention "a particular kind of chi-square
    test", which may have been a more conservative one.
    """
    kept, cut = set(), []
    for node in reversed(range(tree.n_nodes)):  # children first
        children = tree.children(node).tolist()
        if not children:
            continue
        if kept.isdisjoint(children) and corrected_chance(tree.counts[children]) > limit:
            cut.append(node)
        else:
            kept.add(node)
    return cut


class Kind(NamedTuple):
    """A kind of tree: its name, its table, and the functions that grow and prune it."""

    name: str
    table: Table
    coded: Coded
    grow: Callable[[Coded, np.ndarray], Tree]
    cut: Callable[[Tree, float], Iterable[int]] = chi_square


def kinds_of_trees(cars: Columns, categories: Columns) -> list[Kind]:
    """Return ID3 with two tests, and the library's trees on categories and on numbers."""
    words = Table.of(categories)
    numeric = {name: cars[name] for name in ("cylinders", *MEASURED, "year")}
    numbers = Table.of(numeric | {"maker": categories["maker"]})
    in_words = encode(words)
    in_numbers = encode(numbers, max_bins=400)  # one bin per value, so test rows have no influence
    thresholds = grown(families=("intervals", "groups"), max_arity=2)  # groups: for the makers
    id3 = grown(procedure="id3")
    return [
        Kind("ID3", words, in_words, id3),
        Kind("ID3, corrected test", words, in_words, id3, corrected_cut),
        Kind("gain per leaf", words, in_words, grown(families=("values",))),
        Kind("thresholds", numbers, in_numbers, thresholds),
    ]


class Outcome(NamedTuple):
    """The results of one kind of tree: arrays of shape (splits, limits) unless noted."""

    training: np.ndarray  # errors of 40
    test: np.ndarray  # errors of 352
    leaves: np.ndarray
    root: np.ndarray  # (splits,): the column of the first split
    predicted_good: np.ndarray  # (splits, cars): the predictions at the slides' limit


def run(kind: Kind, good: np.ndarray, orders: np.ndarray) -> Outcome:
    """Grow a tree on the first 40 cars of each order and prune it with every limit."""
    n, m = orders.shape
    outcome = Outcome(*np.zeros((3, n, len(LIMITS)), int), np.zeros(n, int), np.zeros((n, m), bool))
    for i, order in enumerate(orders):
        rows = order[:TRAIN]
        tree = kind.grow(kind.coded.take(rows), good[rows])
        leaf = apply(tree, kind.coded.schema, kind.table)
        outcome.root[i] = tree.feature[0]
        for j, limit in enumerate(LIMITS):
            small, place = pruned(tree, kind.cut(tree, limit))
            predicted = small.counts.argmax(axis=1)[place[leaf]]
            inside = np.count_nonzero((predicted != good)[rows])
            outcome.training[i, j], outcome.leaves[i, j] = inside, small.n_leaves
            outcome.test[i, j] = np.count_nonzero(predicted != good) - inside
            if j == AT_SLIDE:
                outcome.predicted_good[i] = predicted
    return outcome


def chance_of(counts: np.ndarray) -> tuple[float, bool]:
    """Return p_chance of a split with these class counts per value, and whether it is rough."""
    builder = TreeBuilder(counts.sum(axis=0).astype(float), int(counts.sum()))
    split_by_value(builder, 0, 0, counts)
    chance = p_chance(builder.finish())
    return float(chance.p[0]), bool(chance.few[0])


def chance_of_maker(coded: Coded, good: np.ndarray, rows: np.ndarray) -> tuple[float, bool]:
    """Return p_chance(mpg, maker) for some cars, and whether an expected count is below 5."""
    column = coded.schema.names.index("maker")
    counts = by_value(coded.columns[column][rows], good[rows], coded.schema.n_codes()[column])
    one_maker = np.count_nonzero(counts.sum(axis=1)) < 2
    return (1.0, True) if one_maker else chance_of(counts)


def chances_of_makers(
    coded: Coded, good: np.ndarray, orders: np.ndarray, four: np.ndarray
) -> Chances:
    """Return p_chance(mpg, maker) for the 40 cars of each order, and for those with 4 cylinders."""
    firsts = [order[:TRAIN] for order in orders]
    return {
        f"all {TRAIN} cars": [chance_of_maker(coded, good, rows) for rows in firsts],
        "cars with 4 cylinders": [
            chance_of_maker(coded, good, rows[four[rows]]) for rows in firsts
        ],
    }


# ---- results -------------------------------------------------------------------------------


def show_cuts(cuts: dict[str, list[Cut]], good: np.ndarray) -> None:
    """Print the thresholds, and the gaps that the slides' rows leave."""
    print(f"{len(good)} cars, {good.mean():.1%} with a good mileage. Thresholds:")
    print(f"{'column':<14}{'used':>9}   {'from the slides':<20}median or tercile")
    for name, held in cuts.items():
        for cut in held:
            allowed = f"{cut.low:g} to below {cut.high:g}"
            print(f"{name:<14}{cut.at:>9.6g}   {allowed:<20}{cut.quantile:.6g}")
    twice, once = (len(rows.strip().splitlines()) for rows in (TWICE, ONCE))
    print(f"The {twice} rows that the slides show both ways are reproduced; each of the {once}")
    print("rows shown as categories only matches some car.\n")


def share_of_rule(rule: np.ndarray, outcome: Outcome) -> float:
    """Return the share of the choices of 40 cars whose pruned tree predicts by a rule."""
    return float(np.mean((outcome.predicted_good == rule).all(axis=1)))


def show_rule(rule: np.ndarray, good: np.ndarray, plain: Outcome, corrected: Outcome) -> None:
    """Compare a single split on the cylinders with the slides' pruned tree."""
    wrong, theirs = np.count_nonzero(rule != good), SLIDE_TRAINING + SLIDE_TEST
    same, same_corrected = share_of_rule(rule, plain), share_of_rule(rule, corrected)
    verdict = (
        "as many, so this may be their tree" if wrong == theirs else "so this is not their tree"
    )
    print(f"The slides' pruned tree makes {SLIDE_TRAINING} + {SLIDE_TEST} = {theirs} errors.")
    print(f'"Good if 4 cylinders, else bad" makes {wrong} on all {len(good)} cars; {verdict}.')
    print(f"ID3 pruned at {SLIDE_LIMIT} predicts the same in {same:.1%} of the random splits, and")
    print(f"in {same_corrected:.1%} of them with a continuity correction in the test.")
    smallest = np.array([[2, 0], [0, 1]])
    p, corrected_p = chance_of(smallest)[0], corrected_chance(smallest)
    kept, corrected_kept = ("kept" if x <= SLIDE_LIMIT else "pruned" for x in (p, corrected_p))
    print(f"A split of two bad cars from a good one has a p_chance of {p:.1%} and is {kept}; with")
    print(f"the correction it has {corrected_p:.1%} and is {corrected_kept}.\n")


def quantiles(name: str, rates: np.ndarray) -> str:
    """Return a line with the mean and the quantiles of rates, in per cent."""
    spread = "".join(f"{100 * q:>8.2f}" for q in np.quantile(rates, QUANTILES))
    return f"  {name:<22}{100 * rates.mean():>8.2f}{spread}"


def heading(name: str) -> str:
    """Return the header of the lines that ``quantiles`` returns."""
    return f"  {name:<22}{'mean':>8}" + "".join(f"{f'{q:.0%}':>8}" for q in QUANTILES)


def place_of(value: int, sample: np.ndarray) -> str:
    """Return the position of a number of errors in a sample, as text."""
    above, equal = np.mean(sample < value), np.mean(sample == value)
    return f"above {above:.1%} of the splits, equal to {equal:.1%}, below {1 - above - equal:.1%}"


def compared(a: np.ndarray, b: np.ndarray) -> str:
    """Compare the means of two series of test errors on the same splits, as text."""
    d = 100 * (a - b) / TEST
    mean, error = d.mean(), d.std(ddof=1) / np.sqrt(len(d))
    if abs(mean) <= 2 * error:
        return f"the same within two standard errors ({mean:+.2f} +- {error:.2f} points)"
    return f"{'higher' if mean > 0 else 'lower'} by {abs(mean):.2f} +- {error:.2f} points"


def show_errors(kind: Kind, outcome: Outcome) -> None:
    """Print errors with and without pruning, and compare them with the slides."""
    training, test, leaves = outcome.training, outcome.test, outcome.leaves.mean(axis=0)
    names = kind.coded.schema.names
    used = np.bincount(outcome.root, minlength=len(names)) / len(outcome.root)
    first = ", ".join(f"{names[j]} {used[j]:.0%}" for j in np.argsort(-used)[:4])
    print(f"{kind.name}; column of the root: {first}")
    print(heading("error in per cent"))
    for which, words in ((0, "unpruned"), (AT_SLIDE, "pruned")):
        print(quantiles(f"training, {words}", training[:, which] / TRAIN))
        print(quantiles(f"test, {words}", test[:, which] / TEST))
    before, after = test[:, 0], test[:, AT_SLIDE]
    falls, rises = np.mean(after < before), np.mean(after > before)
    print(f"  After pruning, the mean test error is {compared(after, before)}.")
    print(f"  It falls in {falls:.1%} of the splits and rises in {rises:.1%}. ", end="")
    print(f"Leaves: {leaves[0]:.1f} unpruned, {leaves[AT_SLIDE]:.1f} pruned.")
    print(f"  Training error of the slides, {SLIDE_TRAINING / TRAIN:.2%}: ", end="")
    print(place_of(SLIDE_TRAINING, training[:, AT_SLIDE]))
    print(f"  Test error of the slides, {SLIDE_TEST / TEST:.2%}: ", end="")
    print(place_of(SLIDE_TEST, test[:, AT_SLIDE]) + "\n")


def show_chances(chances: Chances) -> None:
    """Print the distribution of p_chance(mpg, maker), and the position of the slides' value."""
    print(f"p_chance(mpg, maker); the slides have {SLIDE_CHANCE:.1%}")
    print(heading("in per cent"))
    for among, found in chances.items():
        p, few = np.array(found).T
        print(quantiles(among, p))
        above = f"{SLIDE_CHANCE:.1%} is above {np.mean(p < SLIDE_CHANCE):.1%} of the splits"
        print(f"    {above}; in {few.mean():.1%} an expected count is below 5")
    print()


def show_curve(kinds: list[Kind], outcomes: list[Outcome]) -> None:
    """Print training error, test error and leaves against MaxPchance."""
    print("Mean errors in per cent, and leaves, against MaxPchance (1: unpruned)")
    print(" " * 8 + "".join(f"  {kind.name:^21}" for kind in kinds))
    print(f"{'MaxP':>8}" + f"  {'train':>7}{'test':>7}{'leaves':>7}" * len(kinds))
    for j, limit in enumerate(LIMITS):
        line = f"{limit:>8g}"
        for found in outcomes:
            training, test, leaves = (array[:, j].mean() for array in found[:3])
            line += f"  {100 * training / TRAIN:>7.2f}{100 * test / TEST:>7.2f}{leaves:>7.2f}"
        print(line)
    for kind, found in zip(kinds, outcomes, strict=True):
        best = int(np.argmin(found.test.mean(axis=0)))
        print(f"{kind.name}: the mean test error is smallest at {LIMITS[best]:g}.")
        for other, words in ((0, "unpruned"), (len(LIMITS) - 1, f"at {LIMITS[-1]:g}")):
            if other != best:
                gap = compared(found.test[:, other], found.test[:, best])
                print(f"  {words:<10}it is {gap}")


def show_alike(
    kinds: list[Kind],
    good: np.ndarray,
    four: np.ndarray,
    orders: Iterator[np.ndarray],
    given: argparse.Namespace,
) -> None:
    """Print the results of ID3 for choices of 40 cars that agree with the slides."""
    coded, grow_id3 = kinds[0].coded, kinds[0].grow
    first = np.array(list(islice(orders, given.splits)))
    drawn = (next(orders) for _ in range(given.tries))
    inside = ((order, order[:TRAIN]) for order in drawn)
    trees = ((order, grow_id3(coded.take(rows), good[rows])) for order, rows in inside)
    second = np.array([order for order, tree in trees if splits_like_the_slides(tree, coded)])
    print(f"Choices of {TRAIN} cars that agree with the slides: the 18 cars that these print, and")
    print(f"{FOUR_ASIAN} cars with four cylinders and an Asian maker.\n")
    for held, words in (
        (first, f"{len(first)} such choices"),
        (
            second,
            f"The {len(second)} of {given.tries} choices where ID3 splits as the slides do: on the "
            "cylinders,\nthen on the maker of the cars with four",
        ),
    ):
        print(f"{words}.\n")
        if len(held) < 2:
            continue
        for kind in kinds:
            outcome = run(kind, good, held)
            show_errors(kind, outcome)
            rule = share_of_rule(four.astype(int), outcome)
            print(f"  The pruned tree is good if 4 cylinders, else bad, in {rule:.1%} of them.\n")
        show_chances(chances_of_makers(coded, good, held, four))


# ---- the figure ----------------------------------------------------------------------------


def draw_errors(axes, outcome: Outcome) -> None:
    """Draw the distribution of the test error of ID3 with and without pruning."""
    bins = 100 * (np.arange(27.5, 125, 4)) / TEST  # each bin is four errors wide
    for which, words, colour in ((0, "unpruned", "0.7"), (AT_SLIDE, "pruned", "tab:blue")):
        rates = 100 * outcome.test[:, which] / TEST
        axes.hist(rates, bins, label=words, color=colour, alpha=0.6)
    axes.axvline(100 * SLIDE_TEST / TEST, color="tab:red", label="slides")
    axes.set(xlabel="test error, per cent", ylabel="random splits")
    axes.set_title(f"ID3 on {TRAIN} cars, MaxPchance = {SLIDE_LIMIT}")


def draw_chances(axes, chances: Chances) -> None:
    """Draw the distribution function of p_chance(mpg, maker)."""
    for among, found in chances.items():
        p = np.sort([p for p, _ in found])
        axes.step(p, np.arange(1, len(p) + 1) / len(p), label=among, where="post")
    axes.axvline(SLIDE_CHANCE, color="tab:red", label="slides")
    axes.set(xlabel="p_chance(mpg, maker)", ylabel="cumulative share of random splits", xlim=(0, 1))
    axes.set_title("Could the effect of the maker be chance?")


def draw_curve(axes, kinds: list[Kind], outcomes: list[Outcome]) -> None:
    """Draw training and test error against MaxPchance."""
    for i, (kind, found) in enumerate(zip(kinds, outcomes, strict=True)):
        colour = f"C{i}"
        rates = 100 * found.test.mean(axis=0) / TEST
        axes.plot(LIMITS, rates, "o-", color=colour, markersize=3, label=kind.name)
        axes.plot(LIMITS, 100 * found.training.mean(axis=0) / TRAIN, ":", color=colour)
    axes.set_xscale("log")
    axes.set(xlabel="MaxPchance", ylabel="mean error, per cent", ylim=(0, None))
    axes.set_title("Test error (training error dotted)")


def draw(kinds, outcomes, chances) -> None:
    """Draw the figure."""
    figure = plt.figure(figsize=(13, 4.2), layout="constrained")
    errors, chance, curve = figure.subplots(1, 3)
    draw_errors(errors, outcomes[0])
    draw_chances(chance, chances)
    draw_curve(curve, kinds, outcomes)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8)
        axes.title.set_fontsize(11)
    plt.show()


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="The MPG experiment of the boosting lecture.")
    parser.add_argument("--splits", type=int, default=1000, help="random splits (default: 1000)")
    parser.add_argument(
        "--tries", type=int, default=5000, help="choices to search for the slides' (default: 5000)"
    )
    given = parser.parse_args()
    if given.splits < 2 or given.tries < 0:
        parser.error("--splits must be at least 2, and --tries at least 0")
    return given


def main() -> None:
    """Run the experiment, print the tables and draw the figure."""
    given = arguments()
    cars, origin = load_cars()
    maker = np.array([MAKER[where] for where in origin.tolist()])
    shown = cars_of_the_slides(cars, maker)
    cuts = find_cuts(cars, shown)
    good = (cars["mpg"] > cuts["mpg"][0].at).astype(int)
    categories = as_categories(cars, maker, cuts)
    check_rows(categories, good, shown)

    assert len(good) == TRAIN + TEST
    rng = np.random.default_rng(SEED)
    orders = random_orders(rng, given.splits, len(good))
    kinds = kinds_of_trees(cars, categories)
    outcomes = [run(kind, good, orders) for kind in kinds]
    four = cars["cylinders"] == 4

    chances = chances_of_makers(kinds[0].coded, good, orders, four)
    show_cuts(cuts, good)
    show_rule(four.astype(int), good, *outcomes[:2])
    print(f"{given.splits} random splits into {TRAIN} training and {TEST} test cars.", end=" ")
    print(f"Pruned: MaxPchance = {SLIDE_LIMIT}.\n")
    for kind, outcome in zip(kinds, outcomes, strict=True):
        show_errors(kind, outcome)
    show_chances(chances)
    alike = orders_like_the_slides(rng, categories, good, shown)
    show_alike(kinds[:2], good, four, alike, given)
    show_gains(categories, good, next(alike)[:TRAIN])
    show_curve(kinds, outcomes)
    draw(kinds, outcomes, chances)


if __name__ == "__main__":
    main()
