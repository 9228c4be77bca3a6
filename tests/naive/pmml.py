"""PMML evaluated by its definition, as far as we write it; and the order of its elements."""

import math
from xml.etree import ElementTree

NAMESPACE = "{http://www.dmg.org/PMML-4_4}"
PREDICATES = {"SimplePredicate", "CompoundPredicate", "SimpleSetPredicate", "True", "False"}
MODELS = {"TreeModel", "MiningModel", "RegressionModel", "Scorecard"}

# The children that the schema of PMML 4.4 allows, in its order, for the elements that we write.
ORDER = {
    "PMML": ["Header", "DataDictionary", MODELS],
    "Header": ["Application"],
    "DataDictionary": ["DataField"],
    "DataField": ["Value"],
    "TreeModel": ["MiningSchema", "Output", "Node"],
    "MiningModel": ["MiningSchema", "Output", "Segmentation"],
    "RegressionModel": ["MiningSchema", "Output", "RegressionTable"],
    "Scorecard": ["MiningSchema", "Output", "Characteristics"],
    "MiningSchema": ["MiningField"],
    "Output": ["OutputField"],
    "Node": [PREDICATES, "ScoreDistribution", "Node"],
    "Segmentation": ["Segment"],
    "Segment": [PREDICATES, MODELS],
    "RegressionTable": ["NumericPredictor"],
    "Characteristics": ["Characteristic"],
    "Characteristic": ["Attribute"],
    "Attribute": [PREDICATES],
    "CompoundPredicate": [PREDICATES],
    "SimpleSetPredicate": ["Array"],
}
NEVER_EMPTY = {"DataDictionary", "MiningSchema", "Output", "Segmentation", "Characteristics"}
REQUIRED = {
    "PMML": {"version"},
    "DataField": {"name", "optype", "dataType"},
    "MiningField": {"name"},
    "Value": {"value"},
    "TreeModel": {"functionName"},
    "MiningModel": {"functionName"},
    "RegressionModel": {"functionName"},
    "Scorecard": {"functionName"},
    "Segmentation": {"multipleModelMethod"},
    "ScoreDistribution": {"value", "recordCount"},
    "SimplePredicate": {"field", "operator"},
    "CompoundPredicate": {"booleanOperator"},
    "SimpleSetPredicate": {"field", "booleanOperator"},
    "RegressionTable": {"intercept"},
    "NumericPredictor": {"name", "coefficient"},
    "OutputField": {"name", "dataType"},
    "Array": {"type"},
}


def tag(element):
    assert element.tag.startswith(NAMESPACE), element.tag
    return element.tag.removeprefix(NAMESPACE)


def check_structure(element):
    """Assert that elements are in the order of the schema and have the attributes it requires."""
    name = tag(element)
    assert REQUIRED.get(name, set()) <= set(element.keys()), name
    assert len(element) > 0 or name not in NEVER_EMPTY, name
    allowed, at = ORDER.get(name, []), 0
    for child in element:
        while at < len(allowed) and not _is(tag(child), allowed[at]):
            at += 1
        assert at < len(allowed), f"{tag(child)} in {name}"
        check_structure(child)


def _is(name, allowed):
    return name in allowed if isinstance(allowed, set) else name == allowed


class Document:
    """A document; ``evaluate`` takes a row and returns the result of its model."""

    def __init__(self, text):
        root = ElementTree.fromstring(text)
        check_structure(root)
        self.types = {
            field.get("name"): field.get("dataType")
            for field in children(child(root, "DataDictionary"), "DataField")
        }
        self.model = next(c for c in root if tag(c) in MODELS)

    def evaluate(self, row):
        """Return (prediction, {class: probability}) of a row, a dict of cells."""
        return self.run(self.model, dict(row))

    def run(self, model, row):
        return getattr(self, f"run_{tag(model)}")(model, row)

    def run_TreeModel(self, model, row):
        node = child(model, "Node")
        assert self.holds(node[0], row)
        while nested := children(node, "Node"):
            node = next((n for n in nested if self.holds(n[0], row)), None)
            assert node is not None, "no child is true"
        shares = {
            d.get("value"): float(d.get("probability")) for d in children(node, "ScoreDistribution")
        }
        score = node.get("score")
        return (score if model.get("functionName") == "classification" else float(score)), shares

    def run_MiningModel(self, model, row):
        segmentation = child(model, "Segmentation")
        method = segmentation.get("multipleModelMethod")
        results = []
        for segment in segmentation:
            assert self.holds(segment[0], row)
            result = self.run(segment[1], row)
            results.append(result)
            for output in segment[1].findall(f"{NAMESPACE}Output/{NAMESPACE}OutputField"):
                if output.get("feature") == "predictedValue":
                    row[output.get("name")] = result[0]
        if method == "modelChain":
            return results[-1]
        if method == "sum":
            return math.fsum(x for x, _ in results), {}
        assert method == "average"
        if model.get("functionName") == "regression":
            return math.fsum(x for x, _ in results) / len(results), {}
        mean = {c: math.fsum(s[c] for _, s in results) / len(results) for c in results[0][1]}
        return max(mean, key=mean.get), mean

    def run_RegressionModel(self, model, row):
        totals = {
            table.get("targetCategory"): float(table.get("intercept"))
            + sum(float(p.get("coefficient")) * row[p.get("name")] for p in table)
            for table in children(model, "RegressionTable")
        }
        if model.get("normalizationMethod") == "logit":
            first, second = totals
            p = 1 / (1 + math.exp(-totals[first]))
            shares = {first: p, second: 1 - p}
        else:
            top = max(totals.values())
            odds = {c: math.exp(x - top) for c, x in totals.items()}
            shares = {c: x / sum(odds.values()) for c, x in odds.items()}
        return max(shares, key=shares.get), shares

    def run_Scorecard(self, model, row):
        total, losses = float(model.get("initialScore")), {}
        for characteristic in child(model, "Characteristics"):
            attribute = next(a for a in characteristic if self.holds(a[0], row))
            points = float(attribute.get("partialScore"))
            total += points
            losses[characteristic.get("reasonCode")] = (
                float(characteristic.get("baselineScore")) - points
            )
        return total, losses

    def holds(self, predicate, row):  # noqa: PLR0911
        """Return whether a predicate holds; None if it is unknown, because a cell is missing."""
        kind = tag(predicate)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            parts = [self.holds(p, row) for p in predicate]
            if predicate.get("booleanOperator") == "or":
                return True if True in parts else None if None in parts else False
            return False if False in parts else None if None in parts else True
        name = predicate.get("field")
        cell = row.get(name)
        if kind == "SimpleSetPredicate":
            if cell is None:
                return None
            among = cell in child(predicate, "Array").text.split(" ")
            return among == (predicate.get("booleanOperator") == "isIn")
        operator = predicate.get("operator")
        if operator in ("isMissing", "isNotMissing"):
            return (cell is None) == (operator == "isMissing")
        if cell is None:
            return None
        value = self.read(name, predicate.get("value"))
        cell = float(cell) if self.types[name] == "double" else cell
        return {
            "equal": cell == value,
            "notEqual": cell != value,
            "lessThan": operator == "lessThan" and cell < value,
            "lessOrEqual": operator == "lessOrEqual" and cell <= value,
            "greaterThan": operator == "greaterThan" and cell > value,
            "greaterOrEqual": operator == "greaterOrEqual" and cell >= value,
        }[operator]

    def read(self, name, text):
        kind = self.types[name]
        if kind == "boolean":
            return {"true": True, "false": False}[text]
        return {"double": float, "integer": int, "string": str}[kind](text)


def children(element, name):
    return element.findall(f"{NAMESPACE}{name}")


def child(element, name):
    (only,) = children(element, name)
    return only
