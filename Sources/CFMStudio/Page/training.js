// Data sets as the model sees them, and trainings as they go.

import * as api from "./api.js";
import { curve, interval } from "./chart.js";
import { button, counted, failure, field, fill, grouped, h, lazily, paced, say, seconds, size, theirs } from "./dom.js";
import { dropZone, upload } from "./drop.js";
import { findings } from "./findings.js";
import * as jobs from "./jobs.js";
import { load } from "./models.js";

const logEnd = ".training.jsonl";

export async function open(main, address, { models, signal }) {
  if (address.has("run")) await openRun(main, address.get("run"), models, signal);
  else if (address.has("data")) await openData(main, address.get("data"), models, signal);
  else await openList(main, signal);
}

const dataAddress = (name) => `#/training?data=${encodeURIComponent(name)}`;
const runAddress = (name) => `#/training?run=${encodeURIComponent(name)}`;
const back = () => h("p", {}, h("a", { href: "#/training" }, "All data and trainings"));

async function openList(main, signal) {
  const trouble = h("div");
  const drop = dropZone("A data set, one example on each line (JSON lines)", async (files) => {
    const named = files.map(({ file, name }) => ({ file, name: name.split("/").at(-1) }));
    if (named.length > 0 && await upload(named, trouble, signal)) location.hash = dataAddress(named[0].name.replaceAll(/[^\w.-]/g, "_").replace(/^[.-]+/, "_"));
  });
  const [data, runs] = [h("ul", { class: "found" }), h("ul", { class: "found" })];
  fill(main, h("h1", {}, "Data and training"), drop, trouble, h("h2", {}, "Data sets"), data, h("h2", {}, "Trainings"), runs);
  const [files, known] = await Promise.all([api.files(), jobs.all()]);
  const sets = files.filter((file) => /^[^/]+\.jsonl?$/.test(file.name) && !file.name.endsWith(logEnd));
  fill(data, sets.length === 0 ? h("li", { class: "note" }, "None yet.") : sets.map((file) => {
    const item = h("li", {}, h("a", { href: dataAddress(file.name) }, theirs(file.name)), ` ${size(file.size)} `,
      button("Remove", async () => { await api.removeFile(file.name); item.remove(); }, { class: "quiet", "aria-label": `Remove ${file.name}` }));
    return item;
  }));
  const made = new Set(files.filter((file) => !file.name.includes("/") && file.name.endsWith(logEnd)).map((file) => file.name.slice(0, -logEnd.length).replace(/\.fmadapter\.unfinished$/, "")));
  const running = new Set(known.filter((job) => job.words[0] === "train" && job.state !== "ended").map(outputOf));
  for (const name of running) made.add(name);
  fill(runs, made.size === 0 ? h("li", { class: "note" }, "None yet.") : [...made].sort().map((name) => (
    h("li", {}, h("a", { href: runAddress(name) }, theirs(name)), running.has(name) ? " is running" : ""))));
}

function outputOf(job) { return job.words[job.words.indexOf("-o") + 1]; }

async function openData(main, name, models, signal) {
  const [found, figures, shown, form] = [h("div"), h("div"), h("div"), h("div")];
  fill(main, back(), h("h1", {}, theirs(name)), h("section", { "aria-label": "Findings" }, h("h2", {}, "Findings"), found),
    h("section", { "aria-label": "Statistics" }, h("h2", {}, "Statistics"), figures),
    h("section", { "aria-label": "Examples" }, h("h2", {}, "As the model sees it"), shown),
    h("section", { "aria-label": "Training" }, h("h2", {}, "Train on it"), form));
  fill(found, h("p", { class: "status" }, "checking…"));
  drawForm(form, name, models);
  try {
    const report = await api.report(["data", "check", name], signal);
    fill(found, findings(report));
    const { files: [statistics] } = await api.report(["data", "stats", name], signal);
    drawStatistics(figures, statistics);
    await drawExample(shown, name, signal);
  } catch (error) {
    if (error.name !== "AbortError") fill(found, failure(error));
  }
}

function drawStatistics(place, statistics) {
  const counts = (object) => Object.entries(object).map(([key, count]) => `${grouped(count)} ${key}`).join(", ");
  const rows = [["answers", "answers of an example"], ["tokens", "tokens"], ["trainedTokens", "learnt tokens"], ["characters", "characters"]]
    .filter(([key]) => statistics[key]).map(([key, title]) => {
      const { min, median, p95, max, total } = statistics[key];
      return h("tr", {}, h("th", { scope: "row" }, title), [min, median, p95, max, total].map((value) => h("td", { class: "figure" }, grouped(value))),
        h("td", { class: "wide" }, interval({ value: median / max, low: min / max, high: p95 / max }, `${title}: from ${min} to ${p95} for 95 of 100 examples, half of them up to ${median}, at most ${max}`)));
    });
  fill(place, h("p", {}, `${counted(statistics.examples, "example")} (${counts(statistics.forms)}); ${counts(statistics.messages)}.`
    + (statistics.refused > 0 ? ` ${counted(statistics.refused, "line")} refused.` : "")
    + (statistics.trainedShare ? ` ${(statistics.trainedShare * 100).toFixed(0)} % of the tokens are learnt.` : "")),
  h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Lengths" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Of an example"), ["least", "median", "95 %", "most", "all"].map((text) => h("th", { scope: "col", class: "figure" }, text)), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Drawn")))),
    h("tbody", {}, rows))));
}

async function drawExample(place, name, signal) {
  const line = h("input", { type: "number", min: "1", step: "1", value: "1", class: "short" });
  const text = h("div", { class: "example", role: "group", tabindex: "0", "aria-label": "The example" });
  const show = async () => {
    try {
      const [example] = [await api.report(["data", "render", name, "--line", line.value || "1"], signal)].flat();
      const side = (part, title) => h("p", { dir: "auto" }, title && h("span", { class: "note" }, `${title} `),
        part.parts.map((run) => (run.learnt ? h("mark", { class: "learnt" }, run.text) : run.text)));
      fill(text, h("p", { class: "note" }, `${counted(example.tokens.length, "token")}, ${grouped(example.mask.filter(Boolean).length)} learnt (marked)`),
        side(example, example.rejected ? "chosen" : null), example.rejected && side(example.rejected, "rejected"));
    } catch (error) { if (error.name !== "AbortError") fill(text, failure(error)); }
  };
  const step = (by) => () => { line.value = String(Math.max(1, Number(line.value) + by)); return show(); };
  line.addEventListener("input", lazily(show));
  fill(place, h("div", { class: "row" }, field("Line", line), button("Before", step(-1)), button("Next", step(1))), text);
  await show();
}

/** Fields of the form, by the option that each sets. */
const choices = [
  ["--objective", "Objective", h("select", {}, [["", "by the data"], ["sft", "sft: answers"], ["dpo", "dpo: pairs"], ["orpo", "orpo: pairs"]].map(([value, text]) => h("option", { value }, text)))],
  ["--epochs", "Epochs", { min: "1" }], ["--steps", "Steps, in place of epochs", { min: "1" }], ["--learning-rate", "Learning rate", { min: "0", step: "any" }],
  ["--rank", "Rank", { min: "1" }], ["--alpha", "Alpha", { min: "0", step: "any" }], ["--dropout", "Dropout", { min: "0", max: "0.99", step: "any" }],
  ["--tokens", "Tokens of a step", { min: "1" }], ["--held-out", "Share held out", { min: "0", max: "0.9", step: "any" }], ["--patience", "Patience", { min: "0" }], ["--seed", "Seed", {}],
];

function drawForm(place, data, models) {
  const name = h("input", { required: true, pattern: "\\w+", title: "Letters, digits and underscores", value: data.replace(/\.jsonl?$/, "").replaceAll(/\W/g, "_"), spellcheck: "false" });
  const own = models.filter((model) => model.parent);
  const from = h("select", {}, h("option", { value: "" }, "the base"), own.map((model) => h("option", { value: model.id }, model.id)));
  const shown = h("p");
  const trouble = h("div");
  const inputs = choices.map(([option, label, input]) => [option, label, input instanceof Element ? input.cloneNode(true) : h("input", { type: "number", class: "short", placeholder: "own", ...input })]);
  const words = () => ["train", data, "-o", name.value, ...inputs.flatMap(([option, , input]) => (input.value === "" ? [] : [option, input.value])),
    ...(from.value ? ["--from", from.value] : []), "--json"];
  const form = h("form", { oninput: () => fill(shown, jobs.commandLine(words())), onsubmit: async (event) => {
    event.preventDefault();
    fill(trouble);
    try {
      await jobs.start(words());
      location.hash = runAddress(name.value);
    } catch (error) { fill(trouble, failure(error)); }
  } },
  h("div", { class: "row" }, field("Name of the adapter", name), h("button", { type: "submit", class: "primary" }, "Train")),
  h("details", {}, h("summary", {}, "Options; what is left empty is chosen by the data"), h("div", { class: "row" }, inputs.map(([, label, input]) => field(label, input)), field("Start from", from))),
  shown, trouble);
  fill(place, form);
  form.dispatchEvent(new Event("input"));
}

/** What a log tells, by steps: what is told twice counts once. */
class Log {
  constructor() { [this.start, this.end, this.steps, this.measures, this.samples] = [null, null, new Map(), new Map(), new Map()]; }

  take(text) {
    let event;
    try { event = JSON.parse(text); } catch { return; }
    if (event.event === "start") {
      if (this.start && this.start.steps !== event.steps) { this.steps.clear(); this.measures.clear(); this.samples.clear(); }
      this.start = event;
    }
    if (event.event === "step") { this.steps.set(event.step, event); this.end = null; }
    if (event.event === "measure") this.measures.set(event.step, event.loss);
    if (event.event === "sample") this.samples.set(`${event.step}.${event.line}`, event);
    if (event.event === "end") this.end = event;
  }
}

async function openRun(main, name, models, signal) {
  const log = new Log();
  const drawn = h("div");
  const facts = h("p", { class: "figures" });
  const [samples, result, trouble, running] = [h("div"), h("div"), h("div"), h("div", { class: "jobs" })];
  fill(main, back(), h("h1", {}, theirs(name)), running, trouble, result, h("figure", {}, drawn, h("figcaption", { class: "caption" }, "Loss of each step (line) and of what is held out (dots)")), facts,
    h("h2", {}, "Answers on the way"), samples);
  const there = new Set((await api.files()).map((file) => file.name));
  for (const path of [`${name}${logEnd}`, `${name}.fmadapter.unfinished${logEnd}`]) {
    if (there.has(path)) (await api.textOf(path)).split("\n").forEach((line) => log.take(line));
  }
  const draw = () => {
    const steps = [...log.steps.values()].sort((one, two) => one.step - two.step);
    fill(drawn, curve(steps.map((event) => [event.step, event.loss]), [...log.measures].sort((one, two) => one[0] - two[0]), log.start?.steps));
    const last = steps.at(-1);
    facts.textContent = last ? [`step ${grouped(last.step)} of ${grouped(log.start?.steps ?? last.step)}`, `epoch ${last.epoch}`, `loss ${last.loss.toFixed(3)}`,
      `rate ${last.learningRate.toPrecision(3)}`, seconds(last.seconds), last.rewards && `margin ${last.rewards.margin.toFixed(3)}`].filter(Boolean).join(" · ") : "";
    const all = [...log.samples.values()].sort((one, two) => two.step - one.step);
    const table = (rows) => h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Answers on the way" }, h("table", { class: "grid samples" },
      h("thead", {}, h("tr", {}, ["Step", "Prompt", "Expected", "Answer"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.map((sample) => h("tr", {}, h("td", {}, grouped(sample.step)),
        [sample.prompt, sample.expected, sample.answer].map((text) => h("td", {}, h("div", { class: "text", dir: "auto" }, text))))))));
    const newest = all.filter((sample) => sample.step === all[0].step);
    const isOpen = samples.querySelector("details")?.open;
    fill(samples, all.length === 0 ? h("p", { class: "note" }, "None yet: they come after each epoch.") : table(newest),
      all.length > newest.length && h("details", { open: isOpen }, h("summary", {}, "Earlier ones"), table(all.slice(newest.length, 60))));
  };
  const redraw = paced(draw, 250);
  draw();

  async function finish() {
    draw();
    const end = log.end;
    if (!end || end.error !== undefined) {
      const goOn = button("Go on", () => start(["train", "-o", name, "--resume", "--json"]), { class: "primary" });
      const files = await api.files();
      const hasCheckpoint = files.some((file) => file.name.startsWith(`${name}.fmadapter.checkpoint`));
      return fill(result, end && h("p", { class: "note" }, `It ended before its last step: ${end.error}.`), hasCheckpoint && h("div", { class: "row" }, goOn));
    }
    await load(models);
    const base = models.find((model) => !model.parent)?.id;
    return fill(result, h("p", {}, end.heldOutLossAfter
      ? `Held-out loss ${end.heldOutLossBefore?.toFixed(3) ?? ""} → ${end.heldOutLossAfter.toFixed(3)} in ${counted(end.steps, "step")}, ${seconds(end.seconds)}.`
      : `${counted(end.steps, "step")} in ${seconds(end.seconds)}.`),
    h("div", { class: "row" }, h("a", { class: "button", href: `#/compare?m=${encodeURIComponent(base)}&m=${encodeURIComponent(name)}` }, "Compare with the base"),
      button("Install", () => follow(jobs.start(["install", `./${name}.fmadapter`, "--json"]), () => {})),
      button("Learn longer", () => start(["train", "-o", name, "--more-epochs", "2", "--json"]))));
  }

  async function follow(starting, ended) {
    fill(trouble);
    try {
      const job = await starting;
      running.prepend(jobs.panel(job, signal, { saw: (text) => { log.take(text); redraw(); }, ended: (facts) => {
        say(facts.code === 0 ? "Done." : "It has ended.");
        ended();
      } }));
    } catch (error) { fill(trouble, failure(error)); }
  }

  function start(words) {
    fill(result);
    return follow(jobs.start(words), finish);
  }

  const job = (await jobs.all()).filter((known) => known.words[0] === "train" && outputOf(known) === name).at(-1);
  if (job && job.state !== "ended") await follow(job, finish);
  else {
    if (job) await follow(job, () => {});
    await finish();
  }
}
