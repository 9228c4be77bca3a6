"""Links from a page to files of the repository outside docs/.

They are written so that they also work where the Markdown is read in the repository, such as
``[the example](../../examples/costs.py)``. On the site a link to an example leads to its page in
the gallery; any other file is a download.
"""

from os.path import relpath
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parents[2]


class RepositoryLinks(SphinxTransform):
    """Replace the links of a page that leave docs/."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Look at every link to a file."""
        for node in list(self.document.findall(addnodes.download_reference)):
            file = (Path(self.env.doc2path(self.env.docname)).parent / node["reftarget"]).resolve()
            if file.parent == ROOT / "examples":
                node.replace_self(self._gallery_page(node, file.stem))
        for node in list(self.document.findall(addnodes.pending_xref)):
            if node.get("refdomain") == "doc" and Path(node["reftarget"]).is_absolute():
                node.replace_self(self._download(node))

    def _gallery_page(self, node: nodes.Element, name: str) -> nodes.Element:
        target = {"refdomain": "std", "reftype": "doc", "reftarget": f"/gallery/{name}"}
        where = {"refdoc": self.env.docname, "refexplicit": True}
        return addnodes.pending_xref("", *node.children, **target, **where)

    def _download(self, node: nodes.Element) -> nodes.Element:
        path = relpath(f"{node['reftarget']}.md", Path(self.env.doc2path(self.env.docname)).parent)
        return addnodes.download_reference("", "", *node.children, reftarget=path)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the transform to every page."""
    app.add_transform(RepositoryLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
