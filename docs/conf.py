"""Sphinx settings; the pictures are drawn before the pages are read."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import figures  # noqa: E402
import live  # noqa: E402

project = "rulenet"
author = "the rulenet developers"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "sphinx_copybutton"]
exclude_patterns = ["_build"]
html_extra_path = ["live"]
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_theme = "furo"
html_title = "rulenet"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
autodoc_typehints = "none"
autodoc_member_order = "bysource"
suppress_warnings = ["ref.python"]  # types in words, such as "conditions", are no references
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

figures.draw_all(HERE / "pictures")
live.write_all(HERE / "live")
