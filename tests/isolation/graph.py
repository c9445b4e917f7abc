"""A graph of required orderings; a cycle proves that they contradict each other."""

from collections import deque
from dataclasses import dataclass
from typing import Hashable

Node = Hashable
STARTS_MAX = 20  # the number of nodes from which to search for the shortest cycle


@dataclass(frozen=True)
class Edge:
    source: Node
    target: Node
    why: str


class Graph:
    def __init__(self):
        self.edges: dict[Node, list[Edge]] = {}

    def add(self, source: Node, target: Node, why: str) -> None:
        self.edges.setdefault(source, []).append(Edge(source, target, why))
        self.edges.setdefault(target, [])

    def cycle(self) -> list[Edge] | None:
        """A short cycle, or None if there is none."""
        left = without_leaves(without_leaves(self.edges, backward=False), backward=True)
        found = (shortest_cycle(left, start) for start in list(left)[:STARTS_MAX])
        return min((one for one in found if one), key=len, default=None)


def without_leaves(edges: dict[Node, list[Edge]], backward: bool) -> dict[Node, list[Edge]]:
    """Repeatedly removes nodes without incoming edges (backward: without outgoing edges)."""
    ways: dict[Node, list[Node]] = {node: [] for node in edges}
    degree = dict.fromkeys(edges, 0)
    for node, leaving in edges.items():
        for edge in leaving:
            source, target = (edge.target, node) if backward else (node, edge.target)
            ways[source].append(target)
            degree[target] += 1
    free = [node for node, count in degree.items() if count == 0]
    gone = set()
    while free:
        node = free.pop()
        gone.add(node)
        for target in ways[node]:
            degree[target] -= 1
            if degree[target] == 0:
                free.append(target)
    return {node: [edge for edge in leaving if edge.target not in gone]
            for node, leaving in edges.items() if node not in gone}


def shortest_cycle(edges: dict[Node, list[Edge]], start: Node) -> list[Edge] | None:
    """The shortest cycle through `start`, by breadth-first search."""
    came_by: dict[Node, Edge] = {}
    waiting = deque([start])
    while waiting:
        for edge in edges[waiting.popleft()]:
            if edge.target == start:
                return path_to(edge, came_by, start)
            if edge.target not in came_by:
                came_by[edge.target] = edge
                waiting.append(edge.target)
    return None


def path_to(last: Edge, came_by: dict[Node, Edge], start: Node) -> list[Edge]:
    path = [last]
    while path[-1].source != start:
        path.append(came_by[path[-1].source])
    return path[::-1]
