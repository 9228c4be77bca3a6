"""``polytomy fit``."""

import gzip
import re
from inspect import signature

import pandas as pd
import pytest

import polytomy
from polytomy import BoostedTreeClassifier, ForestClassifier, TreeClassifier, TreeRegressor
from polytomy.boost import ALGORITHMS
from polytomy.certify import origin_sentences
from polytomy.cli.fit import fit as fit_command
from polytomy.cli.fit import make_estimator
from polytomy.data import load_cars
from polytomy.estimators.fitting.effort import EFFORTS
from polytomy.grow import PROCEDURES
from polytomy.index import INDICES
from polytomy.prune import PRUNERS

FLAGS = {  # the option of each parameter of the estimators
    "max_leaves": "--leaves",
    "effort": "--effort",
    "time_limit": "--time-limit",
    "procedure": "--procedure",
    "gamma": "--gamma",
    "index": "--index",
    "pruner": "--prune",
    "overgrow": "--overgrow",
    "max_arity": "--max-arity",
    "max_depth": "--max-depth",
    "min_samples_leaf": "--min-samples-leaf",
    "algorithm": "--algorithm",
}


HEADER = "x,y\n"
GOOD = HEADER + "1,a\n2,b\n"


@pytest.fixture
def refuse_fit(refuse, tmp_path):
    """Fit to a file that is refused; check that nothing was written."""

    def call(path, *more, target="y"):
        before = sorted(tmp_path.iterdir())
        message = refuse("fit", path, "--target", target, "-o", tmp_path / "m.json", *more)
        assert sorted(tmp_path.iterdir()) == before
        return message

    return call


def help_of(run, flag):
    """Return the help of an option of fit on one line."""
    out = run("fit", "--help")[1]
    text = re.search(rf"\n  {flag} (.*?)(?=\n  -)", out, re.S)[1]
    return re.sub(r"-\s+", "-", re.sub(r"\s+", " ", text))


def test_fit_uses_the_estimators_defaults():
    assert make_estimator({}).get_params() == TreeClassifier().get_params()
    regressor = make_estimator({}, "regression").get_params()
    assert regressor == TreeRegressor().get_params()
    boosted = make_estimator({"n_rounds": 7}).get_params()
    assert boosted == BoostedTreeClassifier(7).get_params()
    assert make_estimator({"n_estimators": 7}).get_params() == ForestClassifier(7).get_params()


@pytest.mark.parametrize("name", FLAGS)
def test_fit_help_shows_the_estimators_default(run, name):
    assert signature(fit_command).parameters[name].default is None
    tree, boosted = TreeClassifier().get_params(), BoostedTreeClassifier().get_params()
    forest = ForestClassifier().get_params()
    default = str(tree.get(name, boosted.get(name)))
    if name in tree and name in boosted and tree[name] != boosted[name]:
        default += f", or {boosted[name]} with --boost"
    if name in tree and name in forest and tree[name] != forest[name]:
        default += f", or {forest[name]} with --forest"
    assert help_of(run, FLAGS[name]).endswith(f"[default: {default.replace('None', 'none')}]")


@pytest.mark.parametrize("name", ["teacher", "search", "question_price"])
def test_fit_help_says_what_effort_sets(run, name):
    assert signature(fit_command).parameters[name].default is None
    assert signature(TreeClassifier).parameters[name].default is None
    flag = f"--{name.replace('_', '-')}"
    assert help_of(run, flag).endswith("[default: that of --effort]")


@pytest.mark.parametrize(
    ("flag", "names"),
    [
        ("--effort", EFFORTS),
        ("--procedure", PROCEDURES),
        ("--index", INDICES),
        ("--prune", PRUNERS),
        ("--algorithm", ALGORITHMS),
    ],
)
def test_fit_help_lists_the_names_of_the_library(run, flag, names):
    assert f": {', '.join(names)}. " in help_of(run, flag)


def test_fit_writes_the_model_of_the_estimator(run, cars, tmp_path):
    path = tmp_path / "m.json"
    code, out, err = run("fit", cars, "--target", "origin", "-o", path)
    assert (code, err) == (0, "")
    columns, origin = load_cars()
    columns.pop("name")
    X = pd.DataFrame(columns)
    own = TreeClassifier().fit(X, origin)
    clf = polytomy.load(path)
    assert clf.feature_names_in_.tolist() == list(columns)
    assert clf.to_text() == own.to_text()
    assert (clf.predict_proba(X) == own.predict_proba(X)).all()
    summary = dict(re.findall(r"^(\w+(?: \w+)*) {2,}(.+)$", out, re.M))
    assert summary["leaves"] == str(own.n_leaves_)
    assert summary["questions per row"] == f"{own.n_questions_:.2f}"
    assert summary["training error"] == f"{1 - own.score(X, origin):.1%} of 392 rows"
    assert summary["test error"] == "not measured (add --test-fraction 0.25)"
    assert summary["model"] == str(path)
    assert (
        "left out column name: 300 distinct values in 392 rows (use --categorical name to keep it)"
        in out
    )


def test_fit_passes_every_option_to_the_estimator(run, cars, tmp_path):
    path = tmp_path / "m.json"
    given = ["--leaves", 9, "--procedure", "mansour-mcallester", "--gamma", 0.2, "--index", "sqrt"]
    given += ["--max-arity", 3, "--max-depth", 4, "--min-samples-leaf", 5, "--seed", 3, "--jobs", 1]
    given += ["--prune", "pessimistic", "--categorical", "year", "--categorical", "cylinders"]
    given += ["--drop", "name", "--drop", "mpg", "--weights", "weight"]
    assert run("fit", cars, "--target", "origin", "-o", path, *given)[0] == 0
    clf = polytomy.load(path)
    params = clf.get_params()
    wanted = {"max_leaves": 9, "procedure": "mansour-mcallester", "gamma": 0.2, "index": "sqrt"}
    wanted |= {"max_arity": 3, "max_depth": 4, "min_samples_leaf": 5, "pruner": "pessimistic"}
    assert {name: params[name] for name in wanted} == wanted
    kinds = {c.name: c.kind for c in clf._model.schema}
    assert "mpg" not in kinds
    assert "weight" not in kinds
    assert kinds["year"] == kinds["cylinders"] == "nominal"
    assert kinds["horsepower"] == "ordered"


def test_fit_gives_the_same_model_for_parquet_and_csv(run, cars, tmp_path):
    frame = pd.read_csv(cars)
    frame["origin"] = frame["origin"].astype("category")
    frame.to_parquet(tmp_path / "cars.parquet")
    results = []
    for data in (cars, tmp_path / "cars.parquet"):
        fit = ["fit", data, "--target", "origin", "--force", "-o", tmp_path / "m.json"]
        out = run(*fit, "--categorical", "year", "--weights", "cylinders", "--seed", 1)[1]
        results.append((out, polytomy.load(tmp_path / "m.json").to_text()))
    assert results[0] == results[1]


@pytest.mark.parametrize("leaves", ["cv", "none", "5"])
def test_fit_accepts_cv_and_none_as_leaves(run, cars, tmp_path, leaves):
    path = tmp_path / "m.json"
    assert run("fit", cars, "--target", "origin", "-o", path, "--leaves", leaves)[0] == 0
    wanted = {"cv": "cv", "none": None}.get(leaves, 5)
    assert polytomy.load(path).get_params()["max_leaves"] == wanted


def test_fit_reports_the_error_on_test_rows_drawn_by_the_seed(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", tumours, "--target", "diagnosis", "-o", path, "--test-fraction", 0.25, "--force"]
    first, again = run(*fit)[1], run(*fit)[1]
    assert first == again == run(*fit, "--seed", 0)[1]
    assert first != run(*fit, "--seed", 1)[1]
    assert re.search(r"training error +\d+\.\d% of 427 rows\n", first)
    assert re.search(r"test error +\d+\.\d% of 142 held-out rows\n", first)
    train = polytomy.load(path)._model.grown
    assert int(train.rows[0]) == 427


@pytest.mark.usefixtures("few_trees")
def test_fit_spends_effort_and_says_how_the_tree_was_found(run, cars, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", cars, "--target", "origin", "-o", path, "--leaves", 6, "--effort", "thorough"]
    code, out, err = run(*fit)
    assert (code, err) == (0, "")
    clf = polytomy.load(path)
    assert (clf.effort, clf.teacher, clf.search) == ("thorough", None, None)
    lines = out.splitlines()
    found = next(line for line in lines if line.startswith("Grown with a teacher: "))
    error, fidelity = clf.origin_.lesson.error, clf.origin_.lesson.fidelity
    assert f"forest of 8 trees, out-of-bag error {error:.1%}, and 100 synthetic rows" in found
    assert found.endswith(f"the tree agrees with it on {fidelity:.1%} of the rows.")
    assert set(origin_sentences(clf.origin_)) <= set(lines)
    assert any(line.startswith(f"The teacher errs on {error:.1%} of the rows") for line in lines)
    for command in (["show", path], ["certify", path, cars, "--target", "origin"]):
        code, out, _ = run(*command)
        assert code == 0
        assert "forest of 8 trees" in re.sub(r"\s+", " ", out)


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["--teacher", "forest"], {"teacher": "forest"}),
        (["--teacher", "boosted"], {"teacher": "boosted"}),
        (["--teacher", "none", "--effort", "balanced"], {"teacher": False, "effort": "balanced"}),
        (["--search", "1", "--time-limit", "60"], {"search": 1, "time_limit": 60.0}),
        (["--search", "3,2"], {"search": (3, 2)}),
        (["--search", "0", "--effort", "thorough"], {"search": 0, "effort": "thorough"}),
    ],
)
def test_fit_passes_teacher_and_search_to_the_estimator(run, cars, tmp_path, given, wanted):
    path = tmp_path / "m.json"
    assert run("fit", cars, "--target", "origin", "-o", path, "--leaves", 5, *given)[0] == 0
    clf = polytomy.load(path)
    assert {name: getattr(clf, name) for name in wanted} == wanted


@pytest.mark.usefixtures("few_trees")
def test_fit_spends_effort_on_numbers(run, cars, tmp_path):
    fit = ["fit", cars, "--target", "mpg", "-o", tmp_path / "m.json", "--leaves", 5]
    code, out, _ = run(*fit, "--effort", "balanced")
    assert code == 0
    assert "forest of 8 trees, out-of-bag mean squared error" in out


def test_fit_boosts(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    args = ["fit", tumours, "--target", "diagnosis", "-o", path, "--boost", 5]
    code, out, err = run(*args, "--algorithm", "adaboost")
    assert (code, err) == (0, "")
    assert re.search(r"^rounds +5\ntrees +5\n", out, re.M)
    assert polytomy.load(path).get_params()["verbose"] == 0


def test_fit_grows_a_forest(run, refuse, tumours, tmp_path):
    path = tmp_path / "m.json"
    args = ["fit", tumours, "--target", "diagnosis", "-o", path]
    code, out, err = run(*args, "--forest", 5, "--leaves", 8, "--seed", 3)
    assert (code, err) == (0, "")
    assert re.search(r"^trees +5\nout-of-bag error +\d\.\d%\n", out, re.M)
    forest = polytomy.load(path)
    assert (forest.n_estimators, forest.max_leaves, forest.random_state) == (5, 8, 3)
    assert run("show", path)[1].startswith("forest: 5 trees of 8 leaves")
    assert run("explain", path, tumours, "--row", 1)[1].startswith("mean over the training rows")
    assert "a forest has no certificate" in refuse("certify", path)
    code, out, _ = run("certify", path, tumours, "--target", "diagnosis")
    assert code == 0
    assert "Verified: no discrepancies." in out
    page = tmp_path / "page.html"
    assert run("report", path, tumours, "--target", "diagnosis", "-o", page)[0] == 0
    assert "<title>Forest for diagnosis</title>" in page.read_text(encoding="utf-8")


def test_fit_leaves_out_unlabelled_rows_on_request(run, data_file, tmp_path):
    path = data_file("x,y\n1,1\n2,\n3,2\n4,2\n")
    code, out, _ = run("fit", path, "--target", "y", "-o", tmp_path / "m.json", "--drop-unlabelled")
    assert code == 0
    assert out.startswith("3 rows, 1 column\n")
    assert polytomy.load(tmp_path / "m.json").classes_.tolist() == [1, 2]


def test_fit_leaves_out_a_column_of_row_numbers(run, data_file, tmp_path):
    lines = [f"{i},{i % 5},{'ab'[i % 5 > 2]}\n" for i in range(30)]
    path = data_file(",x,y\n" + "".join(lines))
    fit = ["fit", path, "--target", "y", "-o", tmp_path / "m.json"]
    out = run(*fit)[1]
    assert "left out column column_1: row number (use --numeric column_1 to keep it)\n" in out
    assert "left out" not in run(*fit, "--numeric", "column_1")[1]


def test_fit_writes_the_model_to_stdout(run, cars, tmp_path):
    code, out, err = run("fit", cars, "--target", "origin", "-o", "-", "--leaves", 3)
    assert code == 0
    assert "leaves             3\n" in err
    path = tmp_path / "m.json"
    path.write_text(out)
    assert polytomy.load(path).n_leaves_ == 3


def test_fit_learns_honest_shares_unless_told_otherwise(run, cars, tmp_path):
    texts = []
    for more in ([], ["--honest"], ["--no-honest"], ["--question-price", 0.2]):
        path = tmp_path / "m.json"
        assert run("fit", cars, "--target", "origin", "--force", "-o", path, *more)[0] == 0
        texts.append(run("show", path)[1])
    default, honest, training, wide = texts
    assert default == honest
    assert "expected share of new rows" in honest
    assert "expected share" not in training
    assert re.search(r"% \[\d+-\d+\] of \d+\n", training)
    assert honest.splitlines()[:2] != wide.splitlines()[:2] or len(wide) < len(honest)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--leaves", "many"], "must be an integer, cv or none, got 'many'"),
        (["--leaves", "0"], "--leaves must be an integer of at least 1"),
        (["--procedure", "x"], "procedure must be one of per-leaf, hatano"),
        (["--gamma", "0.3"], "gamma is for --procedure mansour-mcallester"),
        (["--index", "x"], "index"),
        (["--prune", "x"], "--prune must be one of reduced-error"),
        (["--algorithm", "samme"], "--algorithm is for boosting: add --boost ROUNDS"),
        (
            ["--boost", "5", "--prune", "chi-square"],
            "--prune applies to a single tree and cannot be used with --boost",
        ),
        (
            ["--boost", "5", "--question-price", "0.1"],
            "--question-price applies to a single tree and cannot be used with --boost",
        ),
        (
            ["--boost", "5", "--no-honest"],
            "--honest applies to a single tree and cannot be used with --boost",
        ),
        (
            ["--boost", "5", "--effort", "thorough"],
            "--effort applies to a single tree and cannot be used with --boost",
        ),
        (
            ["--forest", "5", "--teacher", "none"],
            "--teacher applies to a single tree and cannot be used with --forest",
        ),
        (["--effort", "slow"], "effort must be one of 'fast', 'balanced', 'thorough'"),
        (["--teacher", "woods"], "teacher must be 'forest', 'boosted', 'forest+boosted' or an"),
        (["--search", "wide"], "--search: must be 0, 1, 2 or BEAM,DEPTH, got 'wide'"),
        (["--search", "7"], "search must be 0, 1, 2 or (beam, depth)"),
        (["--search", "1,2,3"], "search must be 0, 1, 2 or (beam, depth)"),
        (["--search", "1", "--prune", "pessimistic"], "search compares trees at two prices"),
        (["--question-price", "-1"], "--question-price must be"),
        (["--boost", "5", "--leaves", "cv"], "--leaves cv applies to a single tree"),
        (["--boost", "5", "--forest", "5"], "--boost and --forest cannot be used together"),
        (["--forest", "5", "--algorithm", "samme"], "--algorithm is for boosting"),
        (
            ["--forest", "5", "--prune", "chi-square"],
            "--prune applies to a single tree and cannot be used with --forest",
        ),
        (["--forest", "0"], "--forest must be an integer of at least 1"),
        (["--boost", "0"], "--boost must be an integer of at least 1"),
        (["--boost", "5", "--algorithm", "adaboost"], "class"),
        (["--jobs", "two"], "--jobs"),
        (["--jobs", "0"], "must not be 0; -1 uses all processors"),
        (["--seed", "-1"], "Invalid value for '--seed'"),
        (["--leaves", "cv", "--seed", "99999999999999"], "Invalid value for '--seed'"),
    ],
)
def test_fit_refuses_bad_options(refuse, cars, tmp_path, more, message):
    path = tmp_path / "m.json"
    assert message in refuse("fit", cars, "--target", "origin", "-o", path, *more)
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "t.csv is empty; the first line must contain the column names"),
        (HEADER, "t.csv has a header but no rows"),
        ("x,y,x\n1,2,3\n", "columns 1 and 3 have the same name, 'x'; rename all but one"),
        ("x,y\n1,a\n2\n", "t.csv, line 3: 1 cells, but the header has 2"),
        (b"x,y\n1,a\n2,caf\x81\n", "t.csv, line 3: byte 0x81 at offset 13 is neither UTF-8 nor "),
        ('x,y\n1,"a\n2,b\n', "unexpected end of data"),
        ('{"format": 1}', "t.csv looks like JSON (a model file?), not like a table"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-12], "is a damaged gzip file"),
        (b"PAR1 and then nothing", "cannot be read as Parquet"),
        (b"ARROW1 and then nothing", "cannot be read as Arrow"),
        ("x,y\n1,\n2,NA\n", "target 'y' is missing in all 2 rows"),
        ("x,y\n1,a\n2,\n3,?\n", "target 'y' is missing in 2 of 3 rows, first in row 2; fill"),
        ("x,y\n1,a\n2,\n3,?\n", "or leave these rows out with --drop-unlabelled"),
        ("x,y\n1,a\n2,a\n", "target 'y' is 'a' in all 2 rows; at least two classes are needed"),
        ("z,why\n1,a\n2,b\n", "has no column 'y'"),
    ],
)
def test_fit_refuses_bad_data_with_one_line(refuse_fit, data_file, content, message):
    assert message in refuse_fit(data_file(content))


def test_fit_suggests_a_similar_column(refuse_fit, cars):
    message = refuse_fit(cars, target="orgin")
    assert message == f"{cars} has no column 'orgin'; did you mean 'origin'?"


def test_fit_names_the_line_of_a_cell_that_is_not_numeric(refuse_fit, data_file):
    message = refuse_fit(data_file("x,y\n1,a\n\n2b,b\n"), "--numeric", "x")
    assert message.endswith("line 4: column 'x' contains '2b', which is not a number")


def test_fit_refuses_bad_weights(refuse_fit, data_file):
    message = refuse_fit(data_file("x,y,w\n1,a,1\n2,b,-2\n"), "--weights", "w")
    assert message == "weights must be finite and not negative; 'w' is -2 in row 2"


def test_fit_passes_constraints_to_the_estimator(run, cars, tmp_path):
    path = tmp_path / "cars.json"
    code, out, err = run(
        *("fit", cars, "--target", "origin", "--output", path, "--leaves", 6),
        *("--never-ask", "year,mpg", "--never-ask", "acceleration"),
        *("--columns-first", '"cylinders"', "--only-after", "weight:cylinders,horsepower"),
        *("--column-cost", "horsepower=0.05, weight=0.01", "--min-child-share", 0.05),
    )
    assert (code, err) == (0, "")
    tree = polytomy.load(path)
    assert tree.never_ask == ["year", "mpg", "acceleration"]
    assert tree.columns_first == ["cylinders"]
    assert tree.only_after == {"weight": ["cylinders", "horsepower"]}
    assert tree.column_cost == {"horsepower": 0.05, "weight": 0.01}
    assert tree.min_child_share == 0.05
    assert "Never asked: " in " ".join(out.split())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--column-cost", "mpg"], "must be COL=NUMBER, got 'mpg'"),
        (["--monotonic", "mpg=up"], "must be COL=NUMBER, got 'mpg=up'"),
        (["--only-after", "mpg"], "must be COL:OTHER,..., got 'mpg'"),
        (
            ["--never-ask", "town"],
            "--never-ask names a column that the table does not have: 'town'",
        ),
        (["--monotonic", "mpg=2"], "--monotonic must hold -1, 0 and 1"),
        (["--monotonic", "mpg=1"], "--monotonic needs two classes"),
        (["--columns-first", "mpg,mpg"], "--columns-first names 'mpg' twice"),
        (["--only-after", "mpg:mpg"], "--only-after leaves columns that can never be asked"),
        (["--column-cost", "mpg=-1"], "--column-cost must be at least 0, got -1.0 for 'mpg'"),
        (["--min-child-share", "0.7"], "--min-child-share must be"),
        (["--never-ask", "mpg", "--columns-first", "mpg"], "--never-ask and --columns-first both"),
        (["--leaves", 0], "--leaves must be"),
        (["--index", "town"], "--index must be"),
        (["--boost", 3, "--min-difference", 0.1], "--min-difference applies to a single tree"),
    ],
)
def test_fit_refuses_constraints_that_it_cannot_read(refuse, cars, tmp_path, given, words):
    path = tmp_path / "cars.json"
    assert words in refuse("fit", cars, "--target", "origin", "--output", path, *given)


def test_fit_shows_a_small_error_that_is_not_zero(run, tmp_path):
    table = tmp_path / "rare.csv"
    cells = "\n".join(f"{i % 7},{'yes' if i == 0 else 'no'}" for i in range(4_000))
    table.write_text(f"a,y\n{cells}\n")
    _, out, _ = run("fit", table, "--target", "y", "--output", tmp_path / "m.json", "--leaves", 1)
    assert "0.03% of 4,000 rows" in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--effort", "balanced"], "--monotonic needs --effort fast and no search"),
        (["--teacher", "forest"], "so that its leaves may be out of order; use --teacher none"),
        (["--search", "1"], "--monotonic needs --effort fast and no search"),
    ],
)
def test_fit_names_options_and_the_reason_without_python_words(
    words, message, refuse, cars, tmp_path
):
    fit = ["fit", cars, "--target", "mpg", "--monotonic", "weight=-1", "-o", tmp_path / "m.json"]
    said = refuse(*fit, *words)
    assert message in said
    assert not re.search(r"=|_cst|polytomy\.", said.replace(str(tmp_path), ""))


def test_fit_advises_on_dates_by_options(run, data_file, tmp_path):
    rows = "".join(f"0{1 + i % 5}/0{1 + i % 7}/2026,{i % 3},{'pq'[i % 2]}\n" for i in range(90))
    data = data_file("day,x,y\n" + rows)
    fit = ["fit", data, "--target", "y", "-o", tmp_path / "m.json", "--force"]
    code, _, err = run(*fit)
    assert code == 0
    assert err == (
        "polytomy: warning: column 'day' holds dates as text: --dayfirst or --monthfirst reads "
        "them (--categorical day keeps such columns silently)\n"
    )
    for option in ("--dayfirst", "--monthfirst"):
        assert run(*fit, option)[2] == ""
