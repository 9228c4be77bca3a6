"""``polytomy studio --teach``: with a table of the user, or without."""

import pytest

from polytomy.cli import studio as command
from polytomy.cli.entry import main


@pytest.fixture
def served(monkeypatch):
    """Return the servers that commands start, which are closed at once."""
    servers = []

    def note(server, *, browser):
        servers.append(server)
        server.server_close()

    monkeypatch.setattr(command, "serve", note)
    return servers


def run(*args):
    with pytest.raises(SystemExit) as stopped:
        main(["studio", *map(str, args)])
    return stopped.value.code or 0


def state(server):
    return server.application.routes["state"]({})


def test_teach_without_a_file_is_about_playing_tennis(served):
    assert run("--teach", "--no-browser") == 0
    assert state(served[0])["table"] == "tennis"
    assert "Classroom" in served[0].application.page("nonce")


def test_teach_with_a_file_is_about_that_table(served, data_file):
    path = data_file("a,b,y\n1,p,no\n2,q,yes\n3,p,no\n4,q,yes\n")
    assert run(path, "--target", "y", "--teach") == 0
    lesson = state(served[0])["lesson"]
    assert (lesson["target"], lesson["rows"]) == ("y", 4)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--teach"], "name the column to predict"),
        (["--teach", "--target", "x"], "choose a target with classes"),
        (["--teach", "--target", "y", "--weights", "x"], "the classroom counts rows"),
        (["--teach", "--target", "y", "--test", "f.csv"], "--test is not used with --teach"),
        (["--teach", "--test-fraction", "0"], "--test-fraction is not used with --teach"),
    ],
)
def test_teach_refuses_what_it_cannot_teach(served, data_file, capsys, args, message):
    path = data_file("x,z,y\n" + "".join(f"{i / 7},{i % 3},{'ab'[i % 2]}\n" for i in range(1, 40)))
    assert run(path, *args) == 2
    assert message in capsys.readouterr().err
    assert not served


def test_teach_takes_no_model(served, data_file, capsys):
    assert run("model.json", data_file("x,y\n1,2\n"), "--teach") == 2
    assert "not a model" in capsys.readouterr().err


def test_a_studio_without_teach_needs_a_file(served, capsys):
    assert run() == 2
    assert "--teach needs none" in capsys.readouterr().err
