"""Class shares and their intervals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import TreeClassifier
from polytomy.export import Share, node_share, shares_note
from polytomy.honesty import wilson


def screening(**params):
    """Return a tree whose second leaf has 16 sick ones among 39 rows, and its table."""
    x = np.repeat([0, 1], [361, 39])
    y = np.repeat(["well", "sick", "well", "sick"], [357, 4, 23, 16])
    X = x[:, None].astype(float)
    return TreeClassifier(max_leaves=2, procedure="per-leaf", **params).fit(X, y), X, y


def test_share_is_without_class_weights():
    clf, _, _ = screening(class_weight="balanced", honest=False)
    share = node_share(clf._model, 2)
    assert (share.name, share.share, share.weight) == ("sick", 16 / 39, 39)
    assert (share.low, share.high) == pytest.approx(wilson(16 / 39, 39))
    assert "sick 41% [27-57] of 39" in clf.to_text()
    assert clf.to_text().startswith("400 rows: well 95%, sick 5%")
    assert "sick 41%" in clf.to_dot()
    assert "sick: 41% of 39 rows" in clf.to_c()
    assert clf.explain([1.0]).weights == {"sick": 16, "well": 23}
    assert clf.to_rules()[1].prediction == share


def test_share_beside_the_training_share():
    clf, X, _ = screening(class_weight="balanced")
    share = node_share(clf._model, 2)
    assert share.share == clf.predict_proba(X[-1:])[0, 0] < share.training == 16 / 39
    assert f"sick {share.share:.0%} [{100 * share.low:.0f}-{100 * share.high:.0f}] (41% of 39)" in (
        clf.to_text()
    )
    assert not share.is_doubtful  # its class is the minority, but not by the class weights


def test_share_is_doubtful_far_from_the_training_share():
    rng = np.random.default_rng(0)
    X, y = rng.random((120, 8)), rng.integers(0, 2, 120)  # noise: leaves cannot hold
    clf = TreeClassifier(max_leaves=24, procedure="per-leaf").fit(X, y)
    model = clf._model
    for leaf in clf.tree_.leaves().tolist():
        share = node_share(model, leaf)
        far = abs(share.share - share.training) >= 0.1
        lost = model.shares[leaf].argmax() != clf.tree_.label[leaf]
        assert share.is_doubtful == (far or lost)
    frame = clf.to_rules().to_frame()
    assert frame["doubtful"].sum() > 0
    text = clf.to_text()
    assert text.count(") !\n") == frame["doubtful"].sum()
    assert text.endswith("new rows favour another class.")
    assert str(clf.to_rules()).count(") !") == frame["doubtful"].sum()
    leaf = frame["leaf"][frame["doubtful"]].tolist()[0]
    row = X[clf.apply(X) == leaf][0]
    assert str(clf.explain(row)).splitlines()[-1].startswith("   ! the two shares")


def test_share_in_words():
    share = Share("benign", 0.96, 0.93, 0.98, 320.0, 0.97, is_forecast=True)
    assert str(share) == "benign 96% [93-98]"
    assert share.of(320) == "benign 96% [93-98] (97% of 320)"
    assert share.of(320, interval=False) == "benign 96% (97% of 320)"
    assert share.as_consequence(320) == "benign 96% [93-98] (97% of 320 rows)"
    assert share.in_full(320) == "benign 96% (97% of 320 training rows)"
    assert share.of_training(320) == "benign 97% of 320 rows"


def test_shares_note_says_how_they_were_learned():
    clf, _, _ = screening()
    learned = clf._model.honesty
    note = shares_note(clf._model)
    assert "5-fold cross-fitting on 400 rows" in note
    assert f"claimed {learned.claimed:.0%}" in note
    assert f"showed {learned.observed:.0%}" in note
    few = TreeClassifier().fit([[0.0], [1.0]], [0, 1])._model
    assert shares_note(few).startswith("There were too few rows")
    assert shares_note(screening(honest=False)[0]._model) == ""


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_interval_contains_the_share(k, n):
    k = min(k, n)
    low, high = wilson(k / n, n)
    assert 0 <= low <= k / n <= high <= 1
    # its ends solve (p - share)^2 = z^2 p (1 - p) / n
    for p in (low, high):
        if 1e-9 < p < 1 - 1e-9:
            assert (p - k / n) ** 2 == pytest.approx(
                1.959963984540054**2 * p * (1 - p) / n, rel=1e-6
            )
