// One answer as it comes: its text in lines, and the tokens that it is made of.

import { counted, h, say, theirs } from "./dom.js";

const nodeLength = 1500;
const longLines = 60;

/** The text of an answer: each line is a paragraph with a direction of its own. */
export class AnswerText {
  constructor(label) {
    this.element = h("div", { class: "answer", tabindex: "0", role: "group", "aria-label": label });
    this.clear();
  }

  clear() {
    this.element.replaceChildren();
    this.element.classList.remove("long");
    [this.text, this.lines, this.starts, this.tokens] = ["", [], new WeakMap(), []];
  }

  append(text) {
    if (!text) return;
    const parts = text.split("\n");
    parts.forEach((part, index) => {
      if (index > 0 || this.lines.length === 0) this.#begin(index > 0);
      if (part) this.#extend(part);
    });
  }

  #begin(isBroken) {
    if (isBroken && this.lines.length === 0) this.#begin(false);
    if (isBroken) this.text += "\n";
    const line = h("p", { dir: "auto" });
    this.lines.push({ start: this.text.length, line });
    if (this.lines.length > longLines) this.element.classList.add("long");
    this.element.append(line);
  }

  #extend(part) {
    const { line } = this.lines.at(-1);
    let node = line.lastChild;
    if (!node || node.length > nodeLength) {
      node = document.createTextNode("");
      this.starts.set(node, this.text.length);
      line.append(node);
    }
    node.appendData(part);
    this.text += part;
  }

  /** The text node that has the character at `offset`, and where in it. */
  place(offset) {
    const nodes = this.lines[lastBefore(this.lines, offset, (line) => line.start)]?.line.childNodes ?? [];
    const node = nodes[lastBefore(nodes, offset, (node) => this.starts.get(node))];
    return node ? [node, Math.min(offset - this.starts.get(node), node.length)] : null;
  }

  /** Ranges of the document for parts of the text, one for each line that they reach into. */
  ranges(start, end) {
    const found = [];
    while (start < end) {
      const index = lastBefore(this.lines, start, (line) => line.start);
      const stop = Math.min(end, (this.lines[index + 1]?.start ?? Infinity) - 1);
      const [from, to] = [this.place(start), this.place(Math.max(start, stop - 1))];
      if (from && to && stop > start) {
        found.push(new StaticRange({
          startContainer: from[0], startOffset: from[1], endContainer: to[0], endOffset: Math.min(to[1] + 1, to[0].length),
        }));
      }
      start = Math.max(stop, start) + 1;
    }
    return found;
  }
}

/** The index of the last of sorted `items` that begins at `offset` or before. */
function lastBefore(items, offset, start) {
  let [low, high] = [0, items.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (start(items[middle]) <= offset) low = middle; else high = middle - 1;
  }
  return low;
}

/** Takes over the tokens of a piece of the text that begins at `start` and has `length` characters. */
export function placed(logs, start, length) {
  const decoder = new TextDecoder();
  let offset = 0;
  return logs.map((log) => {
    const at = Math.min(offset, length);
    offset += decoder.decode(new Uint8Array(log.bytes ?? []), { stream: true }).length;
    return {
      start: start + at, end: start + Math.min(offset, length), text: log.token, log: log.logprob,
      others: log.top_logprobs.map(({ token, logprob }) => [token, logprob]),
    };
  });
}

/** How likely something was. */
export function share(log) {
  const percent = Math.exp(log) * 100;
  return percent >= 99.95 ? "100 %" : percent >= 10 ? `${percent.toFixed(0)} %` : percent >= 0.1 ? `${percent.toFixed(1)} %` : "< 0.1 %";
}

function shown(token) {
  return token === "" ? "(nothing)" : token.replaceAll(" ", "␣").replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

let bubble;

function close() {
  bubble?.remove();
  bubble = undefined;
  CSS.highlights?.delete("token");
}

function show(answer, token, isTold) {
  close();
  const ranges = answer.ranges(token.start, Math.max(token.end, token.start + 1));
  if (ranges.length === 0) return;
  CSS.highlights?.set("token", new Highlight(...ranges));
  const rows = token.others.length > 0 ? token.others : [[token.text, token.log]];
  bubble = h("div", { class: "bubble", role: "tooltip" },
    h("p", {}, theirs(shown(token.text), "b"), ` had ${share(token.log)}`),
    h("table", {}, h("tbody", {}, rows.map(([text, log]) => h("tr", { class: text === token.text ? "chosen" : "" },
      h("td", {}, theirs(shown(text))), h("td", { class: "figure" }, share(log)), h("td", {}, bar(Math.exp(log))))))));
  document.body.append(bubble);
  const [box, own] = [document.createRange(), bubble.getBoundingClientRect()];
  box.setStart(ranges[0].startContainer, ranges[0].startOffset);
  box.setEnd(ranges[0].endContainer, ranges[0].endOffset);
  const at = box.getClientRects()[0] ?? box.getBoundingClientRect();
  const below = at.bottom + 6 + own.height < innerHeight;
  bubble.style.left = `${Math.max(8, Math.min(at.left, innerWidth - own.width - 8))}px`;
  bubble.style.top = `${below ? at.bottom + 6 : Math.max(8, at.top - own.height - 6)}px`;
  if (isTold) {
    const others = rows.filter(([text]) => text !== token.text).map(([text, log]) => `${text || "nothing"} ${share(log)}`);
    say(`${token.text || "nothing"}, ${share(token.log)}${others.length > 0 ? `; else ${others.join(", ")}` : ""}`);
  }
}

function bar(value) {
  return h("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    h("rect", { width: String(Math.max(1, value * 100)), height: "8" }));
}

function offsetAt(answer, x, y) {
  const caret = document.caretPositionFromPoint?.(x, y);
  const range = caret ? null : document.caretRangeFromPoint?.(x, y);
  const [node, offset] = caret ? [caret.offsetNode, caret.offset] : [range?.startContainer, range?.startOffset];
  const start = node && answer.starts.get(node);
  if (start === undefined) return -1;
  // The caret stands between two characters: that under the pointer is the one whose box it is in.
  for (const at of [offset, offset - 1]) {
    if (at < 0 || at >= node.length) continue;
    const box = document.createRange();
    box.setStart(node, at);
    box.setEnd(node, at + 1);
    for (const r of box.getClientRects()) {
      if (x >= r.left - 1 && x <= r.right + 1 && y >= r.top - 3 && y <= r.bottom + 3) return start + at;
    }
  }
  return -1;
}

function tokenAt(tokens, offset) {
  const index = lastBefore(tokens, offset, (token) => token.start);
  const token = tokens[index];
  return token && offset >= token.start && offset < token.end ? index : -1;
}

/** Shows what else could have come: where the pointer is, or at the arrow keys. */
export function inspect(answer) {
  let [current, isWaiting, last] = [-1, false, null];
  const { element } = answer;
  element.addEventListener("pointermove", (event) => {
    last = event;
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      const offset = last && offsetAt(answer, last.clientX, last.clientY);
      const index = last && offset >= 0 ? tokenAt(answer.tokens, offset) : -1;
      if (index === current && bubble) return;
      current = index;
      if (index < 0) close(); else show(answer, answer.tokens[index], false);
    });
  });
  element.addEventListener("pointerleave", () => { last = null; close(); });
  element.addEventListener("blur", close);
  element.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape" && bubble) { close(); event.stopPropagation(); }
    if (!step || answer.tokens.length === 0) return;
    event.preventDefault();
    current = Math.max(0, Math.min(answer.tokens.length - 1, current + step));
    const token = answer.tokens[current];
    answer.place(token.start)?.[0].parentElement.scrollIntoView({ block: "nearest" });
    show(answer, token, true);
  });
}

/** The figures of an answer, as a line. */
export function figures({ usage, begin, first, end, reason, written }) {
  const parts = [];
  const tokens = usage?.completion_tokens ?? written;
  if (tokens !== undefined) parts.push(counted(tokens, "token"));
  // What comes at once tells nothing of how fast it was written.
  if (end - first > 100 && tokens > 4) parts.push(`${((tokens - 1) / ((end - first) / 1000)).toFixed(1)} per second`);
  if (first) parts.push(`first after ${((first - begin) / 1000).toFixed(2)} s`);
  const cached = usage?.prompt_tokens_details?.cached_tokens;
  if (usage) parts.push(`${counted(usage.prompt_tokens, "token")} read${cached ? `, ${cached} known` : ""}`);
  const ends = { length: "cut at the limit", tool_calls: "calls a tool", stopped: "stopped", left: "left while it came" };
  if (ends[reason]) parts.push(ends[reason]);
  return parts.join(" · ");
}
