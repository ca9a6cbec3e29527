"""Draws loss.csv as an SVG: `python plot_loss.py loss.csv loss.svg`. Training loss, held-out mean and a few tasks.

Rows may have the training loss alone; a curve of fewer than three points is drawn with its points.
"""

import csv
import sys

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 400, 50, 40, 20
LINES = {"train": "#999999", "held_out": "#000000", "story": "#1b7837", "game": "#5aae61", "extract": "#2166ac", "drill": "#f4a582", "json": "#4393c3", "classify": "#b2182b", "copy": "#d6604d", "long": "#762a83"}


def main(source, target):
    rows = list(csv.DictReader(open(source)))
    first, last, highest = float(rows[0]["tokens"]), float(rows[-1]["tokens"]), 7.0
    x = lambda row: LEFT + (WIDTH - LEFT - 110) * (float(row["tokens"]) - first) / (last - first)
    y = lambda value: TOP + (HEIGHT - TOP - BOTTOM) * (1 - min(float(value), highest) / highest)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="11">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for value in range(8):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - 110}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#dddddd"/><text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value}</text>')
    for share in range(5):
        at = LEFT + (WIDTH - LEFT - 110) * share / 4
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - 22}" text-anchor="middle">{(first + (last - first) * share / 4) / 1e6:.1f} M</text>')
    parts.append(f'<text x="{(WIDTH - 60) / 2}" y="{HEIGHT - 6}" text-anchor="middle">training tokens</text><text x="{LEFT}" y="{TOP - 8}">loss (nats per token the assistant speaks)</text>')
    ends = []
    for name, color in LINES.items():
        measured = [row for row in rows if row.get(name)]
        if not measured:
            continue
        points = " ".join(f"{x(row):.1f},{y(row[name]):.1f}" for row in measured)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{2 if name == "held_out" else 1}"/>')
        if len(measured) < 3:
            parts += [f'<circle cx="{x(row):.1f}" cy="{y(row[name]):.1f}" r="2" fill="{color}"/>' for row in measured]
        ends.append((y(measured[-1][name]), f"{name} {float(measured[-1][name]):.2f}", color))
    ends.sort()
    places, place = [], 0
    for at, _, _ in ends:
        place = max(place + 13, at)
        places.append(place)
    lowest = HEIGHT - 8
    for place, (_, name, color) in reversed(list(zip(places, ends))):
        lowest = min(lowest, place)
        parts.append(f'<text x="{WIDTH - 104}" y="{lowest + 4:.1f}" fill="{color}">{name}</text>')
        lowest -= 13
    open(target, "w").write("\n".join(parts + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:3])
