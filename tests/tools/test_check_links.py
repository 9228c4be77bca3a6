"""The checker of links finds broken and remote ones, and only these."""

import pytest

from tools.check_links import broken


@pytest.fixture
def site(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.css").write_text("")
    (tmp_path / "sub" / "index.html").write_text('<h1 id="top">x</h1>')

    def faults(body):
        page = tmp_path / "page.html"
        page.write_text(body)
        return list(broken(page))

    return faults


@pytest.mark.parametrize(
    "body",
    [
        '<a href="sub/index.html#top">x</a>',
        '<a href="sub/#top">x</a>',
        '<i id="here"></i><a href="#here">x</a><a href="#">x</a>',
        '<a href="https://example.org/x">x</a><a href="mailto:a@example.org">x</a>',
        '<link rel="stylesheet" href="a.css?v=1"><script></script>',
    ],
)
def test_good_links(site, body):
    assert site(body) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<a href="nowhere.html">x</a>', "no such file"),
        ('<a href="sub/index.html#bottom">x</a>', "no such anchor"),
        ('<a href="#here">x</a>', "no such anchor"),
        ('<img src="missing.png">', "no such file"),
        ('<script src="https://example.org/x.js"></script>', "loaded from the network"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loaded from the network"),
    ],
)
def test_broken_links(site, body, fault):
    assert [text.rpartition(": ")[2] for text in site(body)] == [fault]
