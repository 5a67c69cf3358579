"""Data that is generated (`make_*`) and data that is read (`load_*`)."""

from rulenet.datasets.artificial import ARTIFICIAL_SEEDS, make_artificial

__all__ = ["ARTIFICIAL_SEEDS", "make_artificial"]
