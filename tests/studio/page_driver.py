"""What a reader does on the page of the studio, and what the page then shows."""


def figures(page):
    """Return the figures of the header by name, without the changes."""
    return page.evaluate(
        """() => Object.fromEntries(
          [...document.querySelectorAll(".figures.live > div")].map((one) =>
            [one.querySelector("dt").textContent,
             one.querySelector("dd").firstChild.textContent]))"""
    )


def select(page, node):
    """Select a node of the drawing, and wait for its splits."""
    page.click(f"#node-{node} .box")
    settle(page)


def settle(page):
    """Wait until the page shows the splits of the selected node."""
    page.wait_for_function(
        """() => !document.body.classList.contains("busy")
          && !document.querySelector(".splits.waiting, .composer.waiting")"""
    )


def compose(page, column):
    """Open the composer of a column, and wait for the price of its split."""
    page.click(f".gain-row:has-text('{column}')")
    page.wait_for_selector(".composer:not([hidden]) .draft-price:not(:empty)")


def split(page, column):
    """Split the selected node as suggested for a column."""
    compose(page, column)
    page.click(".composer:not([hidden]) button.primary")
    page.wait_for_function("() => document.querySelector('.price').textContent.startsWith('Split')")
    settle(page)


def press(page, *keys):
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def tab_to(page, selector, most=60):
    """Press Tab until an element that matches has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")
