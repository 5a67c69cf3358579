"""Where the units and edges of a formula stand: data that pictures and pages draw."""

from rulenet.scene.model import Edge, Node, Panel, Scene
from rulenet.scene.scene import scene_of

__all__ = ["Edge", "Node", "Panel", "Scene", "scene_of"]
