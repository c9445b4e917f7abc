#!/usr/bin/env python3
"""Simulates clusters of 10 to 1,000 nodes with 100 partitions each, prints a table, and draws the curves of
docs/scaling.md.

    cmake --preset release && cmake --build --preset release
    bench/cluster_simulation.py [--nodes 10 30 100 300 1000] [--write]

The largest takes some minutes and 3 GB.
"""
import argparse
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench/cluster_simulation"
IMAGES = ROOT / "docs/images"
PARTITIONS_PER_NODE = 100
WIDTH, HEIGHT, MARGIN = 760, 260, 56
STYLE = """text { font: 13px sans-serif; fill: #767676 } .title { font-weight: bold }
.line { fill: none; stroke: #2f81f7; stroke-width: 2 } .second { stroke: #d29922 } .dot { fill: #2f81f7 }
.dot.second { fill: #d29922 } .axis { stroke: #767676 } .grid { stroke: #76767640 }"""


def simulate(program: pathlib.Path, nodes: int) -> dict:
    command = [str(program), "--nodes", str(nodes), "--partitions", str(nodes * PARTITIONS_PER_NODE)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def rounded_up(value: float) -> float:
    """The next number with one digit that is 1, 2 or 5."""
    power = 10.0 ** len(str(int(value)))
    return min((power * factor for factor in (0.1, 0.2, 0.5, 1) if power * factor >= value), default=power)


def panel(title: str, left: int, lines: list[list[tuple[float, float]]], names: list[str], unit: str) -> list[str]:
    """One diagram: x and y from zero, a line for each list of points."""
    width = WIDTH // 2 - MARGIN - 10
    x_max = rounded_up(max(x for line in lines for x, _ in line))
    y_max = rounded_up(max(y for line in lines for _, y in line))
    bottom = HEIGHT - 34

    def place(x: float, y: float) -> tuple[float, float]:
        return left + MARGIN + x / x_max * width, bottom - y / y_max * (bottom - 46)

    parts = [f'<text class="title" x="{left + MARGIN}" y="18">{title}</text>']
    for share in (0, 0.5, 1):
        x, y = place(x_max, y_max * share)
        parts += [f'<path class="{"grid" if share else "axis"}" d="M{left + MARGIN} {y:.1f}H{x:.1f}"/>',
                  f'<text x="{left + MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{y_max * share:,.6g}</text>',
                  f'<text x="{place(x_max * share, 0)[0]:.1f}" y="{bottom + 18}" text-anchor="middle">'
                  f'{x_max * share:,.6g}{" " + unit if share == 1 else ""}</text>']
    for number, (line, name) in enumerate(zip(lines, names)):
        kind = " second" if number else ""
        points = [place(x, y) for x, y in line]
        parts.append(f'<path class="line{kind}" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>')
        parts += [f'<circle class="dot{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in points]
        parts.append(f'<text x="{left + MARGIN + 8}" y="{38 + 16 * number}"><tspan class="dot{kind}">●</tspan> {name}'
                     "</text>")
    return parts


def write_svg(name: str, panels: list[list[str]]) -> None:
    (IMAGES / f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(part for parts in panels for part in parts) + "\n</svg>\n")


def draw(results: list[dict]) -> None:
    def of(key: str) -> list[tuple[float, float]]:
        return [(result["nodes"], result[key]) for result in results]

    metadata = [(result["nodes"], sum(result["metadata"].values()) / 1e6) for result in results]
    write_svg("cluster-cost", [
        panel("Messages per second, nothing happening", 0, [of("messages_per_s"), of("coordinator_messages_per_s")],
              ["all nodes", "the coordinator"], "nodes"),
        panel("Metadata, MB", WIDTH // 2, [metadata], ["all shared objects"], "nodes")])
    largest = results[-1]
    write_svg("cluster-changes", [
        panel("Seconds until served again", 0, [of("loss_served_s"), of("loss_of_tenth_served_s")],
              ["one node lost", "a tenth of the nodes lost"], "nodes"),
        panel(f"Partitions of the node that joined {largest['nodes']:,}", WIDTH // 2, [largest["join_curve"]],
              ["over time"], "s")])


COLUMNS = {
    "nodes": lambda r: f"{r['nodes']:,}",
    "partitions": lambda r: f"{r['partitions']:,}",
    "plan of all": lambda r: f"{r['plan_ms']:.1f} ms",
    "messages/s": lambda r: f"{r['messages_per_s']:,.0f}",
    "of these the coordinator's": lambda r: f"{r['coordinator_messages_per_s']:,.0f}",
    "traffic": lambda r: f"{r['bytes_per_s'] / 1e6:.2f} MB/s",
    "coordinator's CPU": lambda r: f"{r['coordinator_cpu']:.2%}",
    "metadata": lambda r: f"{sum(r['metadata'].values()) / 1e6:.2f} MB",
    "moved without a reason": lambda r: f"{r['steady_moves']}",
    "one node lost: partitions, served after": lambda r: f"{r['loss_partitions']}, {r['loss_served_s']} s",
    "a tenth lost: partitions, served after":
        lambda r: f"{r['loss_of_tenth_partitions']:,}, {r['loss_of_tenth_served_s']} s",
    "a node joins: fair share, moved, time": lambda r: f"{r['join_share']:.0f}, {r['join_moves']}, {r['join_s']} s",
    "highest load of a node": lambda r: f"{r['load_max_end']:.2f} × average",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 30, 100, 300, 1000])
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM)
    parser.add_argument("--write", action="store_true", help="replace the pictures of docs/scaling.md")
    options = parser.parse_args()
    results = [simulate(options.program, nodes) for nodes in options.nodes]
    for title, cell in COLUMNS.items():
        print(f"| {title} | " + " | ".join(cell(result) for result in results) + " |", flush=True)
    if options.write:
        draw(results)


if __name__ == "__main__":
    main()
