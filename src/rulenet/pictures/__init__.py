"""Pictures of networks, of training and of rules, as matplotlib figures."""

from rulenet.pictures.coverage import draw_coverage
from rulenet.pictures.curve import draw_history
from rulenet.pictures.network import draw_network
from rulenet.pictures.notes import notes_on

__all__ = ["draw_coverage", "draw_history", "draw_network", "notes_on"]
