// Prompts of a file over all columns, with votes.

import { figures } from "./answer.js";
import * as api from "./api.js";
import { interval } from "./chart.js";
import { button, counted, failure, field, fill, h, lazily, say, theirs } from "./dom.js";
import { dropZone } from "./drop.js";
import { picker } from "./models.js";
import { pageOf, save } from "./sheet.js";

const names = ["a", "b", "c", "d"];
const votes = [[1, "good"], [0.5, "fair"], [0, "bad"]];
const folder = "sets/";

/** The prompts of a file: JSON lines as `run --input` reads them, or plain lines. */
export function prompts(text) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  const isJSON = lines.length > 0 && lines.every((line) => /^["[{]/.test(line));
  return lines.map((line, index) => {
    if (!isJSON) return { messages: [{ role: "user", content: line }] };
    let value;
    try { value = JSON.parse(line); } catch (error) { throw new Error(`Line ${index + 1} is not JSON: ${error.message}`); }
    if (typeof value === "string") return { messages: [{ role: "user", content: value }] };
    const list = Array.isArray(value) ? value : value.messages;
    if (list) {
      const last = list.findLastIndex((message) => message.role !== "assistant");
      if (last < 0) throw new Error(`Line ${index + 1} asks nothing.`);
      return { messages: list.slice(0, last + 1).map(({ role, content }) => ({ role, content: String(content ?? "") })), expected: list[last + 1]?.content };
    }
    if (typeof value.prompt === "string") {
      return { messages: [{ role: "user", content: value.prompt }], expected: value.completion ?? value.expected ?? value.chosen };
    }
    if (Array.isArray(value.prompt)) return { messages: value.prompt, expected: undefined };
    throw new Error(`Line ${index + 1} has neither a prompt nor messages.`);
  });
}

export async function open(main, address, { models, signal }) {
  const name = address.get("set");
  return name ? openSet(main, name, models, signal) : openList(main, models);
}

const file = (name) => `${folder}${name}.json`;

async function openList(main, models) {
  const trouble = h("div");
  const list = h("ul", { class: "found" });
  const drop = dropZone("A file of prompts, one on each line", async ([first]) => {
    try {
      if (!first) return;
      const found = prompts(await first.file.text());
      if (found.length === 0) throw new Error("There is no prompt in the file.");
      const name = first.name.replace(/\.[^.]*$/, "").replaceAll(/[^\w-]/g, "_") || "prompts";
      const base = models[0]?.id;
      const other = models.find((model) => model.parent === base)?.id ?? base;
      const known = new Set((await api.files()).map((entry) => entry.name));
      let kept = name;
      for (let number = 2; known.has(file(kept)); number += 1) kept = `${name}-${number}`;
      await write({ name: kept, prompts: found, models: [base, other], seed: 0, limit: 256, temperature: "", answers: {}, votes: {}, orders: null });
      location.hash = `#/sets?set=${encodeURIComponent(kept)}`;
    } catch (error) { fill(trouble, failure(error)); }
  });
  fill(main, h("h1", {}, "Prompt sets"), drop, trouble, list);
  const sets = (await api.files()).filter((entry) => entry.name.startsWith(folder) && entry.name.endsWith(".json"));
  fill(list, sets.map((entry) => {
    const name = entry.name.slice(folder.length, -5);
    const item = h("li", {}, h("a", { href: `#/sets?set=${encodeURIComponent(name)}` }, theirs(name)), " ",
      button("Remove", async () => { await api.removeFile(entry.name); item.remove(); }, { class: "quiet", "aria-label": `Remove ${name}` }));
    return item;
  }));
  if (sets.length === 0) fill(list, h("li", { class: "note" }, "No set yet. Lines are JSON with a prompt or messages, or plain text."));
}

function write(set) { return api.put(file(set.name), new Blob([JSON.stringify(set)])); }

/** A number from 0 up to `count`, as no model could guess it. */
function drawn(count) { return crypto.getRandomValues(new Uint32Array(1))[0] % count; }

function shuffled(count) {
  const order = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = drawn(last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

async function openSet(main, name, models, left) {
  let set;
  try { set = JSON.parse(await api.textOf(file(name))); } catch (error) {
    return fill(main, h("p", {}, h("a", { href: "#/sets" }, "All sets")), h("h1", {}, theirs(name)), failure(error));
  }
  let running = null;
  let [isSaving, isChanged] = [false, false];
  async function saved() {
    isChanged = true;
    if (isSaving) return;
    isSaving = true;
    while (isChanged) {
      isChanged = false;
      await write(set).catch((error) => fill(trouble, failure(error)));
    }
    isSaving = false;
  }
  // What is small is sent also while the page goes; for what is large the browser asks.
  addEventListener("beforeunload", (event) => { if (isSaving && JSON.stringify(set).length > api.kept) event.preventDefault(); }, { signal: left });
  const trouble = h("div");
  const state = h("p", { class: "status", role: "status" });
  const grid = h("div", { class: "scroll" });
  const sheet = h("section", { "aria-label": "Results" });
  const controls = h("div");
  const cells = new Map();

  const answer = (row, column) => set.answers[row]?.[column];
  const vote = (row, column) => set.votes[row]?.[column];
  const order = (row) => set.orders?.[row] ?? set.models.map((_, index) => index);
  const title = (place) => (set.orders ? `${place + 1}` : names[place]);

  function number(label, key, more) {
    const input = h("input", { type: "number", class: "short", value: set[key], ...more });
    input.addEventListener("input", () => { set[key] = input.value; saved(); });
    return field(label, input);
  }

  function drawControls() {
    const go = button(running ? "Stop" : "Answer", () => (running ? running.abort() : start()), { class: "primary" });
    const blind = button(set.orders ? "End and show names" : "Blind", () => {
      set.orders = set.orders ? null : set.prompts.map(() => shuffled(set.models.length));
      saved();
      draw();
    }, { "aria-pressed": set.orders ? "true" : "false" });
    fill(controls,
      !set.orders && h("div", { class: "row" }, set.models.map((model, index) => h("span", { class: "head column-choice" }, h("b", {}, names[index]),
        picker(models, model, (chosen) => { set.models[index] = chosen; dropColumn(index); }, `Model ${names[index]}`),
        set.models.length > 2 && button("×", () => removeColumn(index), { class: "quiet", "aria-label": `Remove column ${names[index]}` }))),
      set.models.length < 4 && button("Add a column", () => { set.models.push(set.models.at(-1)); saved(); draw(); })),
      h("div", { class: "row" }, go, number("Seed", "seed", { step: "1" }), number("Temperature", "temperature", { min: "0", max: "2", step: "any", placeholder: "own" }),
        number("Tokens", "limit", { min: "1", step: "1" }), blind,
        !set.orders && button("Export JSON lines", () => save(`${set.name}.jsonl`, lines(set))),
        !set.orders && button("Export a page", async () => save(`${set.name}.html`, pageOf(set, await estimates()), "text/html")),
        !set.orders && button("Pairs to train on", pairs)));
  }

  const dropColumn = lazily((index) => {
    for (const row of Object.keys(set.answers)) { delete set.answers[row][index]; delete set.votes[row]?.[index]; }
    saved();
    draw();
  }, 600);

  function removeColumn(index) {
    set.models.splice(index, 1);
    for (const kept of [set.answers, set.votes]) {
      for (const row of Object.keys(kept)) {
        kept[row] = Object.fromEntries(Object.entries(kept[row]).filter(([key]) => Number(key) !== index).map(([key, value]) => [Number(key) > index ? key - 1 : key, value]));
      }
    }
    saved();
    draw();
  }

  function draw() {
    drawControls();
    cells.clear();
    const table = h("table", { class: "grid" },
      h("caption", { class: "unseen" }, `Answers of ${counted(set.models.length, "column")} to ${counted(set.prompts.length, "prompt")}. Keys 1, 2 and 3 vote good, fair and bad.`),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Prompt"), set.models.map((model, place) => h("th", { scope: "col" }, title(place), !set.orders && [" ", theirs(model)])))),
      h("tbody", {}, set.prompts.map((prompt, row) => h("tr", {},
        h("th", { scope: "row" }, h("div", { class: "asked" }, theirs(prompt.messages.at(-1).content)), prompt.expected !== undefined && h("p", { class: "note" }, "expected: ", theirs(typeof prompt.expected === "string" ? prompt.expected : JSON.stringify(prompt.expected)))),
        order(row).map((column, place) => cell(row, column, place))))));
    fill(grid, table);
    drawSheet();
  }

  function cell(row, column, place) {
    const element = h("td", { tabindex: "0", "aria-label": `Prompt ${row + 1}, column ${title(place)}` });
    cells.set(`${row}.${place}`, element);
    element.dataset.row = row;
    element.dataset.place = place;
    fillCell(element, row, column);
    return element;
  }

  function fillCell(element, row, column) {
    const [found, given] = [answer(row, column), vote(row, column)];
    fill(element, h("div", { class: "text", dir: "auto" }, found?.text ?? ""),
      found?.error && failure(found.error),
      !set.orders && found && h("p", { class: "figures" }, found.figures),
      found && !found.error && h("div", { class: "votes", role: "group", "aria-label": "Vote" }, votes.map(([value, word], index) => (
        h("button", { type: "button", "aria-pressed": given === value ? "true" : "false", title: `Key ${index + 1}`, tabindex: "-1", onclick: () => cast(row, column, value) }, word)))));
  }

  function cast(row, column, value) {
    set.votes[row] ??= {};
    if (set.votes[row][column] === value) delete set.votes[row][column]; else set.votes[row][column] = value;
    saved();
    const place = order(row).indexOf(column);
    fillCell(cells.get(`${row}.${place}`), row, column);
    say(`${votes.find(([known]) => known === set.votes[row][column])?.[1] ?? "no vote"}`);
    drawSheet();
  }

  grid.addEventListener("keydown", (event) => {
    const element = event.target.closest("td");
    if (!element || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, place] = [Number(element.dataset.row), Number(element.dataset.place)];
    const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (move) {
      event.preventDefault();
      cells.get(`${row + move[0]}.${place + move[1]}`)?.focus();
    } else if (["1", "2", "3"].includes(event.key) && answer(row, order(row)[place]) && !answer(row, order(row)[place]).error) {
      event.preventDefault();
      cast(row, order(row)[place], votes[event.key - 1][0]);
      (cells.get(`${row}.${place + 1}`) ?? cells.get(`${row + 1}.0`) ?? element).focus();
    }
  });

  async function start() {
    running = new AbortController();
    const { signal } = running;
    drawControls();
    const wanted = set.prompts.length * set.models.length;
    fill(trouble);
    for (const [row, prompt] of set.prompts.entries()) {
      await Promise.all(set.models.map(async (model, column) => {
        if (answer(row, column) && !answer(row, column).error) return;
        const result = await ask(prompt, model, signal);
        if (!result) return;
        set.answers[row] ??= {};
        set.answers[row][column] = result;
        const place = order(row).indexOf(column);
        fillCell(cells.get(`${row}.${place}`), row, column);
      }));
      if (signal.aborted) break;
      saved();
      const done = Object.values(set.answers).reduce((sum, entry) => sum + Object.keys(entry).length, 0);
      state.textContent = `${done} of ${counted(wanted, "answer")}`;
    }
    saved();
    running = null;
    drawControls();
    say("The answers are there.");
  }

  async function ask(prompt, model, signal) {
    const body = { model, messages: prompt.messages, max_completion_tokens: Number(set.limit) || undefined };
    if (set.temperature !== "") body.temperature = Number(set.temperature);
    if (set.seed !== "") body.seed = Number(set.seed);
    const result = { text: "", begin: performance.now(), first: 0, end: 0 };
    try {
      for await (const chunk of api.chat(body, signal)) {
        if (chunk.usage) result.usage = chunk.usage;
        const choice = chunk.choices[0];
        if (!choice) continue;
        result.reason = choice.finish_reason ?? result.reason;
        const text = choice.delta.content;
        if (text) { result.first ||= performance.now(); result.text += text; }
      }
    } catch (error) {
      if (error.name === "AbortError") return null;
      return { text: result.text, error: error.message };
    }
    result.end = performance.now();
    return { text: result.text, reason: result.reason, tokens: result.usage?.completion_tokens, figures: figures(result) };
  }

  /** Scores of columns, and what they are above the first one by the prompts that both have votes for. */
  async function estimates() {
    const rows = set.prompts.map((_, row) => row);
    const scores = set.models.map((_, column) => rows.map((row) => vote(row, column)).filter((value) => value !== undefined));
    const above = set.models.map((_, column) => rows.filter((row) => vote(row, column) !== undefined && vote(row, 0) !== undefined)
      .map((row) => vote(row, column) - vote(row, 0)));
    const { estimates: found } = await api.post("studio/estimates", { values: [...scores, ...above] });
    return set.models.map((model, column) => ({
      model, name: names[column], score: found[column], above: column > 0 ? found[set.models.length + column] : null,
      counts: votes.map(([value]) => scores[column].filter((given) => given === value).length),
      tokens: mean(rows.map((row) => answer(row, column)?.tokens).filter((count) => count !== undefined)),
    }));
  }

  const drawSheet = lazily(async () => {
    const cast = Object.values(set.votes).reduce((sum, row) => sum + Object.keys(row).length, 0);
    if (set.orders) return fill(sheet, h("h2", {}, "Results"), h("p", { class: "note" }, `${counted(cast, "vote")} of ${set.prompts.length * set.models.length}. Names and results are shown at the end.`));
    if (cast === 0) return fill(sheet, h("h2", {}, "Results"), h("p", { class: "note" }, "No vote yet: look at an answer and press 1 for good, 2 for fair, 3 for bad."));
    try {
      const found = await estimates();
      return fill(sheet, h("h2", {}, "Results"), h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Results" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Column", "Good", "Fair", "Bad", "Score", "", "Above a", "Tokens"].map((text, index) => h("th", { scope: "col", class: index > 0 && index !== 5 ? "figure" : "" }, text || h("span", { class: "unseen" }, "Interval"))))),
        h("tbody", {}, found.map((entry) => h("tr", {}, h("th", { scope: "row" }, entry.name, " ", theirs(entry.model)),
          entry.counts.map((count) => h("td", { class: "figure" }, String(count))), h("td", { class: "figure" }, told(entry.score)),
          h("td", { class: "wide" }, entry.score && interval(entry.score, told(entry.score))),
          h("td", { class: "figure" }, told(entry.above)), h("td", { class: "figure" }, entry.tokens === null ? "" : entry.tokens.toFixed(0))))))),
      h("p", { class: "note" }, "Good counts 1, fair 0.5, bad 0. Intervals of 95 % by resampling the prompts, as ", h("code", {}, "fmadapter eval"), " has them."));
    } catch (error) { return fill(sheet, failure(error)); }
  }, 120);

  /** Of each prompt the best and the worst answer, where votes tell them apart, as pairs to train on. */
  async function pairs() {
    const found = set.prompts.flatMap((prompt, row) => {
      const given = Object.entries(set.votes[row] ?? {}).sort((one, two) => two[1] - one[1]);
      if (given.length < 2 || given[0][1] === given.at(-1)[1]) return [];
      return [JSON.stringify({ prompt: prompt.messages, chosen: [{ role: "assistant", content: answer(row, given[0][0]).text }], rejected: [{ role: "assistant", content: answer(row, given.at(-1)[0]).text }] })];
    });
    if (found.length === 0) return fill(trouble, failure("No prompt has a better and a worse answer yet."));
    const target = `${set.name}-pairs.jsonl`;
    await api.put(target, new Blob([`${found.join("\n")}\n`]));
    location.hash = `#/training?data=${encodeURIComponent(target)}`;
  }

  fill(main, h("p", {}, h("a", { href: "#/sets" }, "All sets")), h("h1", {}, theirs(set.name)), controls, trouble, state, grid, sheet);
  draw();
  left.addEventListener("abort", () => running?.abort());
}

function mean(values) { return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : null; }

/** A figure with its interval, as evaluations write it. */
export function told(estimate) {
  return estimate ? `${estimate.value.toFixed(3)} [${estimate.low.toFixed(2)}, ${estimate.high.toFixed(2)}]` : "";
}

/** All answers of a set, one on each line. */
function lines(set) {
  const word = (value) => votes.find(([known]) => known === value)?.[1] ?? null;
  return set.prompts.flatMap((prompt, row) => set.models.flatMap((model, column) => {
    const found = set.answers[row]?.[column];
    return found ? [JSON.stringify({
      messages: prompt.messages, expected: prompt.expected ?? null, model, answer: found.text, vote: word(set.votes[row]?.[column]),
      finish: found.reason ?? null, tokens: found.tokens ?? null, error: found.error ?? null, seed: set.seed, temperature: set.temperature === "" ? null : set.temperature,
    })] : [];
  })).map((line) => `${line}\n`).join("");
}
