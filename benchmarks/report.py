"""The tables of docs/performance.md, between their markers."""

from pathlib import Path
from typing import Any

import growth
import machine
from cases.rows import MANY, QUICK
from contenders import CONTENDERS, contender, is_installed
from racing import ratios
from results import HERE, Results, folder
from targets import targets_of

DOCUMENT = HERE.parent / "docs" / "performance.md"
FIGURE = Path("images") / "growth.png"
REHEARSAL = "A rehearsal on smaller tables than the targets speak of."
SAME_JOB = (f"rows/{MANY}", f"rows/{QUICK}", "leaves/pure", "categories/large")  # are looked into


def write(results: Results) -> Path:
    """Fill the document and draw the figure; a rehearsal fills a copy among its results."""
    text = DOCUMENT.read_text(encoding="utf-8")
    target = folder(True) / DOCUMENT.name if results.quick else DOCUMENT
    for name, lines in tables(results).items():
        text = filled(text, name, lines)
    target.write_text(text, encoding="utf-8")
    growth.draw(results, target.parent / FIGURE)
    return target


def filled(text: str, name: str, lines: list[str]) -> str:
    """Return the document with other lines between the markers of a name."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, found, rest = text.partition(begin)
    if not found or end not in rest:
        raise SystemExit(f"{DOCUMENT.name} lacks the markers of {name}")
    after = rest.partition(end)[2]
    return before + "\n".join([begin, *lines, end]) + after


def tables(results: Results) -> dict[str, list[str]]:
    """Return the lines of every part of the document that can be filled."""
    parts = {name: group_lines(told) for name, told in results.groups.items()}
    parts["asked"] = asked_lines()
    parts["targets"] = target_lines(results)
    parts["growth"] = growth_lines(results)
    parts["memory"] = memory_lines(results)
    parts["same-job"] = job_lines(results)
    if "phases" in results.files:
        parts["phases"] = phase_lines(results.files["phases"])
    stamps = [told["machine"] for told in results.files.values() if "when" in told["machine"]]
    if stamps:
        last = max(stamps, key=lambda stamp: stamp["when"])
        parts["machine"] = [f"- {line}" for line in machine.words(last)]
    return parts


def markdown(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def seconds_words(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds < 0.1 else f"{seconds * 1e3:.0f} ms"


def share_words(ours: list[float], theirs: list[float]) -> str:
    """Return our share of a peer's time, with its spread over the rounds."""
    found = ratios(ours, theirs)
    spread = f" ({found['least']:.2g}-{found['most']:.2g})" if len(theirs) > 1 else ""
    return f"{found['ratio']:.2g}{spread}"


def cells_of(case: dict[str, Any]) -> dict[str, str]:
    """Return the cells of a case: our times, and our share of the peers' times."""
    first, *others = case["contestants"]
    if "runs" not in first:
        return {told["name"]: "-" for told in case["contestants"]}
    cells = {first["name"]: seconds_words(first["seconds"])}
    for told in others:
        if "runs" not in told:
            cells[told["name"]] = "-"
        elif told["name"].startswith("ours"):
            cells[told["name"]] = seconds_words(told["seconds"])
        else:
            cells[told["name"]] = share_words(first["runs"], told["runs"])
    return cells


def refusals(group: dict[str, Any]) -> list[str]:
    """Return why somebody did not run, a line a reason."""
    reasons: dict[str, list[str]] = {}
    for case in group["cases"]:
        for told in case["contestants"]:
            if told["refused"]:
                reasons.setdefault(told["refused"], []).append(f"{told['name']} at {case['name']}")
    return [f"-: {reason} ({'; '.join(who)})" for reason, who in reasons.items()]


def group_lines(group: dict[str, Any]) -> list[str]:
    """Return a group: its title, its table, and who did not run."""
    lines = [f"### {group['title']}", "", group["note"], ""]
    if not group["cases"]:
        return lines
    names = list(dict.fromkeys(t["name"] for c in group["cases"] for t in c["contestants"]))
    heads = [n if n.startswith("ours") else f"ours / {n}" for n in names]
    by_case = [(case["name"], cells_of(case)) for case in group["cases"]]
    rows = [[name, *(cells.get(n, "") for n in names)] for name, cells in by_case]
    lines += markdown([group["axis"], *heads], rows)
    return [*lines, *(line for reason in refusals(group) for line in ("", reason))]


def target_lines(results: Results) -> list[str]:
    """Return the table of targets."""
    rows = []
    for target in targets_of(results):
        value = "" if target.value is None else f"{target.value:,.3g}"
        if target.spread:
            value += f" ({target.spread[0]:.2g}-{target.spread[1]:.2g})"
        if target.beside:
            value += f"; {target.beside}"
        rows.append([target.what, target.limit_words, value, target.verdict])
    table = markdown(["what", "at most", "measured", ""], rows)
    return [REHEARSAL, "", *table] if results.quick else table


def growth_lines(results: Results) -> list[str]:
    """Return the exponents."""
    fits = growth.exponents(results)
    names = [n for n in growth.STYLES if any(n in of_axis for of_axis in fits.values())]
    rows = []
    for axis, of_axis in fits.items():
        ours = of_axis.get("ours") or next(iter(of_axis.values()))
        cells = []
        for name in names:
            fit = of_axis.get(name)
            shorter = fit and (fit["from"], fit["to"]) != (ours["from"], ours["to"])
            until = f" ({fit['from']:,.0f} to {fit['to']:,.0f})" if fit and shorter else ""
            cells.append(f"{fit['exponent']:.2f}{until}" if fit else "-")
        rows.append([f"{axis}, {ours['from']:,.0f} to {ours['to']:,.0f}", *cells])
    return markdown(["exponent of", *names], rows) if rows else []


def memory_lines(results: Results) -> list[str]:
    """Return the peak memory of everybody who was looked at."""
    rows = []
    for group in results.groups.values():
        for case in group["cases"]:
            cells = case["rows"] * case["columns"]
            for told in case["contestants"]:
                if told.get("memory") is not None:
                    each = [f"{told['memory'] / 1e6:,.1f}", f"{told['memory'] / cells:.2f}"]
                    rows.append([f"{group['name']}: {case['name']}", told["name"], *each])
    return markdown(["case", "", "MB above the input", "bytes a cell"], rows) if rows else []


def job_lines(results: Results) -> list[str]:
    """Return leaves and training errors, to see that everybody did the same job."""
    rows = []
    for key in SAME_JOB:
        case = results.case(key)
        for told in case["contestants"] if case else ():
            if "leaves" in told:
                each = [
                    seconds_words(told["seconds"]),
                    f"{told['leaves']:,}",
                    f"{told['error']:.4f}",
                ]
                rows.append([f"{key.partition('/')[0]}: {case['name']}", told["name"], *each])
    return markdown(["case", "", "least time", "leaves", "error on 20,000 rows"], rows)


def phase_lines(told: dict[str, Any]) -> list[str]:
    """Return the phases of a fit beside their floors."""
    total = sum(phase["seconds"] for phase in told["phases"])
    rows = []
    for phase in told["phases"]:
        floor = phase["floor"]
        beside = ["", ""]
        if floor:
            times = f"{phase['seconds'] / floor:.1f}" if phase["seconds"] else "-"
            beside = [f"{floor * 1e3:.2f} ms", times]
        share = f"{phase['seconds'] / total:.0%}"
        rows.append([phase["name"], f"{phase['seconds'] * 1e3:.2f} ms", share, *beside])
    floors = sum(phase["floor"] or 0 for phase in told["phases"])
    rows.append(
        ["all", f"{total * 1e3:.2f} ms", "", f"{floors * 1e3:.2f} ms", f"{total / floors:.1f}"]
    )
    size = f"{told['rows']:,} x {told['columns']} float32, 64 leaves, `per-leaf`"
    speed = f"a threaded copy moves {told['bandwidth'] / 1e9:.1f} GB/s (read + written)"
    head = ["phase", "time", "share", "floor", "time / floor"]
    return [f"{size}; {speed}.", "", *markdown(head, rows)]


def asked_lines() -> list[str]:
    """Return what everybody was asked."""
    rows = [
        [name, f"`{contender(name).asked}`"] if is_installed(name) else [name, "not installed"]
        for name in CONTENDERS
    ]
    return markdown(["", "asked"], rows)
