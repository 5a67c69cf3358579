"""A page to see, question and change a network in the browser: one file that needs nothing else."""

from rulenet.page.evaluator import network_to_javascript
from rulenet.page.write import Page, compact_page, make_page

__all__ = ["Page", "compact_page", "make_page", "network_to_javascript"]
