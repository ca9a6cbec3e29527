// Figures as drawings, each with a text that says the same.

import { h } from "./dom.js";

/** Bars side by side, one for each value. */
export function bars(values, label, { most = Math.max(...values, 0), height = 48 } = {}) {
  const width = 100 / Math.max(values.length, 1);
  return h("svg", { class: "bars", viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    values.map((value, index) => {
      const size = most > 0 ? Math.max(value / most * height, value > 0 ? 1 : 0) : 0;
      return h("rect", {
        x: (index * width + width * 0.12).toFixed(2), width: (width * 0.76).toFixed(2), y: (height - size).toFixed(2), height: size.toFixed(2),
      });
    }));
}

/** A share of a whole as a line. */
export function shareBar(share, label) {
  return h("svg", { class: "share", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": label },
    h("rect", { class: "whole", width: "100", height: "6" }),
    h("rect", { width: String(Math.min(100, share * 100)), height: "6" }));
}

/** An interval from `low` to `high` of 0 to 1, with a mark at `value`. */
export function interval({ value, low, high }, label) {
  const at = (number) => (Math.min(1, Math.max(0, number)) * 100).toFixed(2);
  return h("svg", { class: "interval", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label },
    h("line", { class: "axis", x1: "0", x2: "100", y1: "5", y2: "5" }),
    h("rect", { x: at(low), width: String(Math.max(0.5, (high - low) * 100)), y: "3", height: "4" }),
    h("rect", { class: "mark", x: String(at(value) - 0.5), width: "1", y: "0", height: "10" }));
}

/** Losses over steps: a line for those of steps, and dots for those of what is held out. */
export function curve(steps, measures, total) {
  const [width, height, left, foot] = [640, 220, 44, 24];
  const values = [...steps, ...measures].map(([, loss]) => loss).filter(Number.isFinite);
  const label = values.length === 0 ? "No loss yet"
    : `Loss over steps${steps.length > 0 ? `; of the last step ${steps.at(-1)[1].toFixed(3)}` : ""}`
      + (measures.length > 0 ? `; held out from ${measures[0][1].toFixed(3)} to ${measures.at(-1)[1].toFixed(3)}` : "");
  const svg = h("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  if (values.length === 0) return svg;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const last = Math.max(total ?? 0, ...steps.slice(-1).map(([step]) => step), ...measures.slice(-1).map(([step]) => step), 1);
  const x = (step) => (left + (width - left - 8) * step / last).toFixed(1);
  const y = (loss) => (8 + (height - foot - 8) * (1 - (loss - low) / (high - low || 1))).toFixed(1);
  for (const value of [low, (low + high) / 2, high]) {
    svg.append(h("line", { class: "axis", x1: left, x2: width - 8, y1: y(value), y2: y(value) }),
      h("text", { x: left - 6, y: Number(y(value)) + 4, class: "end" }, value.toFixed(2)));
  }
  svg.append(h("text", { x: left, y: height - 6 }, "0"), h("text", { x: width - 8, y: height - 6, class: "end" }, `${last} steps`));
  // A thousand points are as many as can be seen.
  const every = Math.max(1, Math.floor(steps.length / 1000));
  const drawn = steps.filter((_, index) => index % every === 0 || index === steps.length - 1);
  svg.append(h("polyline", { class: "steps", points: drawn.map(([step, loss]) => `${x(step)},${y(loss)}`).join(" ") }),
    h("polyline", { class: "held", points: measures.map(([step, loss]) => `${x(step)},${y(loss)}`).join(" ") }),
    ...measures.map(([step, loss]) => h("circle", { class: "held", cx: x(step), cy: y(loss), r: "3.5" })));
  return svg;
}
