"""Configuration of the documentation site; ``make docs`` builds it without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "tools")]

import polytomy  # noqa: E402

project = "polytomy"
author = "The polytomy developers"
project_copyright = author
version = release = polytomy.__version__

extensions = [
    "api_pages",
    "mathml",
    "repository_links",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py", "**/sg_execution_times.rst"]
exclude_patterns += ["sg_execution_times.rst", "gallery/searchindex"]
nitpicky = True
smartquotes = False  # a quote in the type of a parameter is code
toc_object_entries_show_parents = "hide"

# ---- pages ---------------------------------------------------------------------------------

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

html_theme = "pydata_sphinx_theme"
html_title = "polytomy"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "header_links_before_dropdown": 8,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}
html_sidebars = {"index": []}

# ---- reference -----------------------------------------------------------------------------

autosummary_generate = False
autodoc_typehints = "none"  # the docstrings give the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# ---- gallery -------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1_000_000,
    "default_thumb_file": str(HERE / "images" / "tree.png"),
}
