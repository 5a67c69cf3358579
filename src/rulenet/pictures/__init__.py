"""Pictures of networks, of training and of rules, as matplotlib figures."""

from rulenet.pictures.coverage import draw_coverage
from rulenet.pictures.curve import draw_history
from rulenet.pictures.network import draw_network

__all__ = ["draw_coverage", "draw_history", "draw_network"]
