"""The page of the classroom in a real browser: a lesson by keyboard, one game of each kind."""

import numpy as np
import pytest

from polytomy.io import LabelledTable
from polytomy.studio.classroom import Classroom, classroom_application
from polytomy.table import Table
from polytomy.theory import phi

HOSTILE = '</script><img src=x onerror="document.title=1">'


@pytest.fixture
def open_room(browser, serve):
    """Return a function that opens a classroom; errors on the page fail the test."""
    contexts, complaints, requests = [], [], []

    def open_page(room, part="lesson", width=1600, height=1000):
        server = serve(classroom_application(room)) if isinstance(room, Classroom) else room
        context = browser.new_context(viewport={"width": width, "height": height})
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.server = server
        page.goto(f"{server.url}#{part}")
        return page

    open_page.complaints = complaints
    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert all(url.startswith(("http://127.0.0.1:", "data:")) for url in requests)


def heading(page):
    return page.evaluate("document.activeElement.textContent")


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def press_until(page, ready, key="Tab", most=40):
    """Press a key until a script is true of the focused element."""
    for _ in range(most):
        if page.evaluate(f"(() => {{ const e = document.activeElement; return {ready}; }})()"):
            return
        page.keyboard.press(key)
    pytest.fail(f"{ready} was not reached with {key}")


def test_a_lesson_by_keyboard_from_the_guess_to_the_comparison(open_room):
    page = open_room(Classroom())
    assert "0.247" not in page.content()
    press_until(page, "e.name === 'column'")
    page.keyboard.press("ArrowDown")  # temperature
    page.keyboard.press("ArrowDown")  # humidity
    page.keyboard.press("Enter")
    page.wait_for_selector("#reveal")
    assert heading(page) == "humidity, compared with the best split: 62\u00a0%"
    text = page.inner_text("#reveal")
    assert "7/14·0.9852 + 7/14·0.5917 = 0.788" in text
    assert "0.9403 − 0.7885 = 0.152" in text  # noqa: RUF001
    page.reload()
    assert page.inner_text("#reveal") == text
    press_until(page, 'e.textContent.startsWith("Take the grower\'s")')
    page.keyboard.press("Enter")
    page.wait_for_selector("#guess")
    assert heading(page) == "Guess 2: the next split"
    assert page.inner_text("#tree .here").startswith("sunny")
    press_until(page, "e.textContent === 'Leave it a leaf'")
    page.keyboard.press("Enter")
    page.wait_for_selector("#reveal")
    press_until(page, "e.textContent === 'Leave it a leaf'")
    page.keyboard.press("Enter")
    page.wait_for_selector("#guess")
    press_until(page, "e.textContent === 'Finish and compare'")
    page.keyboard.press("Enter")
    page.wait_for_selector("#compare")
    assert heading(page) == "Your tree beside the grower's"
    assert [page.locator(".compared td").nth(i).inner_text() for i in (0, 1)] == ["3", "3"]
    assert "The same tree" in page.inner_text("#compare")


def test_a_lesson_fits_a_phone_and_bears_hostile_names(open_room):
    columns = {HOSTILE: np.array([HOSTILE * 3, "b"] * 20), "x": np.arange(40.0)}
    rows = LabelledTable(Table.of(columns), np.array([HOSTILE, "n"] * 20), None, "<b>target</b>")
    page = open_room(Classroom(rows), width=360, height=740)
    assert fits(page)
    page.get_by_label("x", exact=True).check()
    page.get_by_label("Thresholds").fill("many")
    page.get_by_role("button", name="Guess, then").click()
    page.wait_for_selector(".message:visible")
    assert "not a list of numbers" in page.inner_text(".message")
    page.get_by_label("Thresholds").fill("9.5; 20")
    page.get_by_role("button", name="Guess, then").click()
    page.wait_for_selector("#reveal")
    assert "9.5 to 20" in page.inner_text("#reveal")
    assert page.locator(".message").is_hidden()
    assert fits(page)
    page.get_by_role("button", name="Take the grower's").click()
    page.get_by_role("button", name="Compare with").click()
    page.wait_for_selector("#compare")
    assert fits(page)
    assert page.locator("img").count() == 0
    assert page.title() == "Classroom"
    assert HOSTILE in page.inner_text("#my-tree")


def test_another_table_has_its_own_classes(open_room):
    page = open_room(Classroom())
    page.locator(".setup summary").click()
    page.get_by_label("Table").select_option("iris")
    page.get_by_role("button", name="New lesson").click()
    page.wait_for_selector("text=virginica")
    assert page.locator(".column-card").count() == 4
    assert fits(page)


def test_two_tabs_show_the_same_lesson(open_room):
    first = open_room(Classroom())
    second = open_room(first.server)
    first.get_by_label("wind").check()
    first.get_by_role("button", name="Guess, then").click()
    first.wait_for_selector("#reveal")
    second.get_by_label("outlook").check()
    second.get_by_role("button", name="Guess, then").click()
    second.wait_for_selector("#reveal")
    assert "Another tab" in second.inner_text(".message")
    assert heading(first) == second.inner_text("#reveal h2")
    assert "409" in open_room.complaints.pop()  # the browser reports the refusal


def test_a_weight_game_by_keyboard_ends_with_phi(open_room):
    page = open_room(Classroom(), "weight")
    for size in range(1, 7):
        press_until(page, "e.name === 'leaf'")
        page.keyboard.press("Space")  # the first leaf is a heaviest
        page.keyboard.press("Enter")
        page.wait_for_selector(f"text={size + 1} of 8 leaves")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("text=Move 6: 6 of 8 leaves")
    page.reload()
    assert page.locator(".leaf-bar").count() == 6
    page.get_by_role("button", name="Let the library move").click()
    page.wait_for_selector("text=Move 7")
    page.get_by_role("button", name="Let it play to the end").click()
    page.get_by_role("heading", name="The end").wait_for()
    assert f"ends with the weight {phi(8, 0.2):.3f}" in page.inner_text("#board")
    assert "The bound 0.512 was kept" in page.inner_text("#weight-curve")
    assert page.locator(".chart .line").count() == 4


def test_a_branching_game_against_chosen_offers(open_room):
    page = open_room(Classroom(), "branching", width=360)
    page.get_by_text("New game").click()
    page.get_by_label("The adversary").select_option("generous")
    page.get_by_label("s, the number of leaves").fill("9")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("text=1 of 9 leaves")
    page.get_by_role("radio", name="leaf 0").check()
    assert page.locator(".offers tbody tr").count() == 2
    page.get_by_label("8 children").check()
    page.get_by_role("button", name="Take this split").click()
    page.wait_for_selector("text=8 of 9 leaves")
    assert "Hatano's theorem applies" in page.inner_text("#branching-curve")
    assert fits(page)
    page.get_by_role("radio", name="leaf 8").check()
    page.get_by_role("button", name="Take this split").click()
    page.get_by_role("heading", name="The end").wait_for()
    assert "was kept" in page.inner_text("#branching-curve")
    assert fits(page)


def test_a_student_offers_splits_to_a_learner(open_room):
    page = open_room(Classroom(), "branching")
    page.get_by_text("New game").click()
    page.get_by_label("You are").select_option("adversary")
    page.get_by_label("The library's strategy").select_option("kearns-mansour")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("text=The learner looks at leaf 0")
    page.get_by_role("button", name="Add a split").click()
    page.get_by_label("Removes, in %").fill("50")
    page.get_by_role("button", name="Offer").click()
    page.wait_for_selector("text=2 of 16 leaves")  # a binary learner does not take four children
