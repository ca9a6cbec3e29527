// One prompt to several models, side by side.

import { AnswerText, figures, inspect, placed } from "./answer.js";
import * as api from "./api.js";
import { button, counted, failure, field, fill, h, lazily, say, theirs } from "./dom.js";
import { formed } from "./formed.js";
import { digest, keep, recall } from "./keep.js";
import { picker } from "./models.js";

const fewest = 2;
const most = 4;
/** What is read at once is drawn at once. */
const pause = 20;

export const names = ["a", "b", "c", "d"];

/** What is asked: from an address, and into one. */
export function asked(address) {
  const text = (key, usual = "") => address.get(key) ?? usual;
  return {
    models: address.getAll("m").slice(0, most), prompt: text("p"), instructions: text("i"), temperature: text("t"),
    seed: text("s", "0"), limit: text("n", "512"), schema: text("f"), tools: text("k"), logs: text("l", "1") === "1",
  };
}

function addressed(state) {
  const address = new URLSearchParams();
  state.models.forEach((model) => address.append("m", model));
  const put = (key, value, usual = "") => { if (value !== usual) address.set(key, value); };
  put("p", state.prompt);
  put("i", state.instructions);
  put("t", state.temperature);
  put("s", state.seed, "0");
  put("n", state.limit, "512");
  put("f", state.schema);
  put("k", state.tools);
  put("l", state.logs ? "1" : "0", "1");
  return `#/compare?${address}`;
}

/** JSON that was typed into a field; nil where there is none. */
function typed(text, what) {
  if (!text.trim()) return undefined;
  try { return JSON.parse(text); } catch (error) { throw new Error(`The ${what} is not JSON: ${error.message}`); }
}

/** The request of one column. */
export function request(state, model) {
  const body = { model, messages: [] };
  if (state.instructions) body.messages.push({ role: "system", content: state.instructions });
  body.messages.push({ role: "user", content: state.prompt });
  if (state.temperature !== "") body.temperature = Number(state.temperature);
  if (state.seed !== "") body.seed = Number(state.seed);
  if (state.limit !== "") body.max_completion_tokens = Number(state.limit);
  const schema = typed(state.schema, "schema");
  if (schema) body.response_format = { type: "json_schema", json_schema: { name: "answer", schema } };
  const tools = typed(state.tools, "list of tools");
  if (tools) body.tools = tools;
  if (state.logs) Object.assign(body, { logprobs: true, top_logprobs: 5 });
  return body;
}

/** One answer on its way, and what is kept of it. */
export class Column {
  constructor(name) {
    this.answer = new AnswerText(`Answer ${name}`);
    this.status = h("p", { class: "status" });
    this.facts = h("p", { class: "figures" });
    this.checks = h("ul", { class: "checks" });
    this.trouble = h("div");
    this.result = null;
    inspect(this.answer);
  }

  get parts() { return [this.status, this.trouble, this.answer.element, this.checks, this.facts]; }

  clear(status = "") {
    this.answer.clear();
    this.result = null;
    fill(this.trouble);
    fill(this.checks);
    this.facts.textContent = "";
    this.status.textContent = status;
    this.answer.element.classList.remove("is-json");
  }

  /** Draws what was kept. */
  restore(result) {
    this.clear();
    this.result = result;
    this.answer.append(result.text);
    this.answer.tokens = result.tokens;
    if (result.error) fill(this.trouble, failure(result.error));
    this.#finish();
  }

  /** Asks, and draws what comes until `signal` stops it. */
  async ask(body, signal) {
    this.clear("asked");
    this.answer.element.setAttribute("aria-busy", "true");
    const result = { text: "", tokens: [], begin: performance.now(), first: 0, end: 0, written: 0, reason: "left", expectsJSON: Boolean(body.response_format) };
    this.result = result;
    const calls = [];
    let [waiting, timer] = ["", 0];
    const draw = () => {
      timer = 0;
      this.answer.append(waiting);
      waiting = "";
      this.status.textContent = "writing";
    };
    const take = (text, logs) => {
      if (logs) for (const token of placed(logs, result.text.length, text.length)) result.tokens.push(token);
      result.text += text;
      waiting += text;
      timer ||= setTimeout(draw, pause);
    };
    try {
      for await (const chunk of api.chat(body, signal)) {
        if (chunk.usage) result.usage = chunk.usage;
        const choice = chunk.choices[0];
        if (!choice) continue;
        if (choice.finish_reason) result.reason = choice.finish_reason;
        const { content, reasoning_content: thought, tool_calls: parts } = choice.delta;
        const logs = choice.logprobs?.content;
        if (content || thought || logs?.length) {
          result.first ||= performance.now();
          result.written += logs?.length ?? 1;
          take((thought ?? "") + (content ?? ""), logs);
        }
        for (const part of parts ?? []) {
          result.first ||= performance.now();
          const isNew = !calls[part.index];
          calls[part.index] = true;
          const name = isNew ? `${result.text ? "\n" : ""}${part.function.name} ` : "";
          take(name + (part.function.arguments ?? ""));
        }
      }
    } catch (error) {
      if (error.name === "AbortError") result.reason = "stopped";
      else { result.error = error.message; fill(this.trouble, failure(error)); }
    }
    clearTimeout(timer);
    this.answer.append(waiting);
    this.answer.tokens = result.tokens;
    result.end = performance.now();
    this.#finish();
    return result;
  }

  #finish() {
    const { result } = this;
    this.answer.element.removeAttribute("aria-busy");
    this.status.textContent = result.error ? "failed" : result.text ? "" : "no text";
    this.facts.textContent = result.error && !result.text ? "" : figures(result);
    const check = result.error || result.reason === "stopped" ? null : formed(result.text, result.expectsJSON);
    this.answer.element.classList.toggle("is-json", Boolean(check?.text.startsWith("JSON")));
    if (check) this.checks.append(h("li", { class: check.isGood ? "good" : "bad" }, check.text));
  }
}

const leftBehind = "studio.left";

/** Takes over what had come when the page went. */
async function takeLeft() {
  const left = sessionStorage.getItem(leftBehind);
  sessionStorage.removeItem(leftBehind);
  for (const [key, result] of JSON.parse(left ?? "[]")) await keep(key, result);
}

/** Tokens that are kept at once: many of them would hold the page. */
const tokensAtOnce = 2000;

async function keepAnswer(key, { tokens, ...result }) {
  await keep(key, { ...result, tokens: [], count: tokens.length });
  for (let from = 0; from < tokens.length; from += tokensAtOnce) {
    await keep(`${key}.${from}`, tokens.slice(from, from + tokensAtOnce));
    await api.breathe();
  }
}

async function recallAnswer(key) {
  const result = await recall(key);
  for (let from = 0; from < (result?.count ?? 0); from += tokensAtOnce) {
    const tokens = await recall(`${key}.${from}`) ?? [];
    for (const token of tokens) result.tokens.push(token);
  }
  return result;
}

const comparer = new Worker(new URL("./diff.js", import.meta.url), { type: "module" });
const compared = new Map();
let asks = 0;
comparer.onmessage = ({ data }) => {
  compared.get(data.id)?.(data);
  compared.delete(data.id);
};

function marks(first, second) {
  return new Promise((resolve) => {
    compared.set(asks += 1, resolve);
    comparer.postMessage({ id: asks, first, second });
  });
}

/** Marks the words of all columns that the first one does not have. */
export async function mark(columns) {
  const [first, ...others] = columns;
  const found = [];
  for (const column of others) {
    column.checks.querySelector(".differs")?.remove();
    if (!first?.answer.text || !column.answer.text) continue;
    const { ranges, count, of } = await marks(first.answer.text, column.answer.text);
    // A long answer may differ in thousands of words.
    for (const [start, end] of ranges) found.push(...column.answer.ranges(start, end));
    column.checks.querySelector(".differs")?.remove();
    column.checks.append(h("li", { class: "differs" }, count === 0
      ? "the same words as a" : `${counted(count, "word")} of ${of} not in a`));
  }
  if (typeof Highlight === "undefined") return;
  CSS.highlights.set("differs", new Highlight(...found));
}

export async function open(main, address, { models, signal: left }) {
  const state = asked(address);
  if (state.models.length < fewest) {
    const own = models.filter((model) => model.parent === models[0]?.id);
    state.models = [...state.models, models[0]?.id, own[0]?.id ?? models[0]?.id].filter(Boolean).slice(0, fewest);
  }
  let columns = [];
  let running = null;
  const kept = (model) => digest(["answer", request(state, model)]);

  const write = () => !left.aborted && history.replaceState(null, "", addressed(state));
  const changed = lazily(async () => {
    write();
    if (!running) await restore();
  });
  const input = (key, element) => {
    element.value = state[key];
    element.addEventListener("input", () => { state[key] = element.value; changed(); });
    return element;
  };
  const prompt = input("prompt", h("textarea", { rows: "3", dir: "auto", placeholder: "What the models are asked", "aria-keyshortcuts": "Control+Enter" }));
  const go = h("button", { type: "submit", class: "primary" }, "Ask");
  const trouble = h("div");
  const logs = h("input", { type: "checkbox", checked: state.logs, onchange: () => { state.logs = logs.checked; changed(); } });
  const settings = [["instructions", "schema", "tools"].some((key) => state[key])];
  const form = h("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); if (running) running.abort(); else start(); } },
    field("Prompt", prompt, { wide: true }),
    h("div", { class: "row" },
      go,
      field("Seed", input("seed", h("input", { type: "number", step: "1", class: "short" }))),
      field("Temperature", input("temperature", h("input", { type: "number", min: "0", max: "2", step: "any", class: "short", placeholder: "own" }))),
      field("Tokens", input("limit", h("input", { type: "number", min: "1", step: "1", class: "short" }))),
      h("label", { class: "choice" }, logs, " Probabilities")),
    h("details", { open: settings[0] },
      h("summary", {}, "Instructions, schema, tools"),
      field("Instructions", input("instructions", h("textarea", { rows: "2", dir: "auto" })), { wide: true }),
      field("Schema of the answer", input("schema", h("textarea", { rows: "3", class: "code", spellcheck: "false" })),
        { wide: true, hint: "A JSON schema, which the answer is held to." }),
      field("Tools", input("tools", h("textarea", { rows: "3", class: "code", spellcheck: "false" })),
        { wide: true, hint: "A list of functions, as OpenAI's interface has it. Calls are shown, and nothing is run." })),
    trouble);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  const grid = h("div", { class: "columns" });
  const add = button("Add a column", () => {
    state.models.push(state.models.at(-1));
    columns.push(new Column(names[columns.length]));
    arrange();
    changed();
  });

  function arrange() {
    fill(grid, columns.map((column, index) => h("section", { class: "column", "aria-label": `Column ${names[index]}` },
      h("div", { class: "head" },
        h("h2", {}, names[index]),
        picker(models, state.models[index], (name) => { state.models[index] = name; column.clear(); changed(); }, `Model ${names[index]}`),
        columns.length > fewest && button("×", () => {
          state.models.splice(index, 1);
          columns.splice(index, 1);
          arrange();
          changed();
        }, { class: "quiet", "aria-label": `Remove column ${names[index]}` })),
      ...column.parts)));
    grid.dataset.count = columns.length;
    add.hidden = columns.length >= most;
  }

  async function restore() {
    let isKnown = false;
    for (const [index, column] of columns.entries()) {
      let result;
      try { result = state.prompt ? await recallAnswer(await kept(state.models[index])) : undefined; } catch { /* A field is being typed. */ }
      if (running) return;
      if (result) { column.restore(result); isKnown = true; } else if (column.result) column.clear();
    }
    await mark(columns);
    grid.classList.toggle("empty", !isKnown);
  }

  async function start() {
    fill(trouble);
    if (!state.prompt.trim()) { prompt.focus(); return fill(trouble, failure("Type a prompt first.")); }
    let bodies;
    try { bodies = state.models.map((model) => request(state, model)); } catch (error) { return fill(trouble, failure(error)); }
    write();
    running = new AbortController();
    const { signal } = running;
    go.textContent = "Stop";
    grid.classList.remove("empty");
    say("The models are asked.");
    CSS.highlights?.delete("differs");
    const keys = await Promise.all(bodies.map((body) => digest(["answer", body])));
    const asking = columns.map(async (column, index) => {
      const key = keys[index];
      // Without tokens, which would take the longer to keep the more there are.
      column.left = () => column.result?.text && [key, { ...column.result, tokens: [], count: 0, end: performance.now() }];
      const saving = setInterval(() => column.left() && keep(...column.left()), 1000);
      const result = await column.ask(bodies[index], signal);
      clearInterval(saving);
      await keepAnswer(key, result);
    });
    await Promise.all(asking);
    running = null;
    go.textContent = "Ask";
    await mark(columns);
    say(columns.map((column, index) => `${names[index]}: ${column.trouble.textContent || column.facts.textContent}`).join(". "));
  }

  // What has come until the page goes is not lost: a database may not be written to any more by then.
  const leave = () => {
    if (running) sessionStorage.setItem(leftBehind, JSON.stringify(columns.map((column) => column.left?.()).filter(Boolean)));
  };
  addEventListener("pagehide", leave, { signal: left });
  addEventListener("keydown", (event) => { if (event.key === "Escape") running?.abort(); }, { signal: left });
  left.addEventListener("abort", () => {
    running?.abort();
    CSS.highlights?.delete("differs");
  });

  columns = state.models.map((_, index) => new Column(names[index]));
  arrange();
  fill(main, h("h1", { class: "unseen" }, "Compare"), form, grid, h("div", { class: "row" }, add));
  write();
  await takeLeft();
  await restore();
  if (models.length === 0) fill(trouble, failure("No model is there."), theirs(""));
}
