// Commands of the program that take their time: what they say, and how to hold or end them.

import * as api from "./api.js";
import { button, failure, fill, h, seconds, theirs } from "./dom.js";
import { findings as listed } from "./findings.js";

const plain = /^[\w@%+=:,./-]+$/;

/** A command as one would type it. */
export function line(words) {
  return ["fmadapter", ...words].map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

export function commandLine(words) { return h("code", { class: "command", dir: "ltr" }, line(words)); }

export async function start(words) { return api.post("studio/jobs", { words }); }

export async function all() { return (await api.get("studio/jobs")).jobs; }

/** What a line on standard error says: how far a job is, what is wrong, or anything else. */
export function parsed(text) {
  try {
    const { progress, error, warning } = JSON.parse(text);
    if (progress) return { progress };
    const said = error ?? warning;
    if (said) return { [error ? "error" : "warning"]: said.message + (said.remedy ? `; ${said.remedy}` : ""), findings: said.findings };
  } catch { /* A sentence. */ }
  const wrong = /^fmadapter: error: (.*)$/s.exec(text);
  return wrong ? { error: wrong[1] } : { note: text };
}

/** Follows a job to its end: `take` gets its facts and each new line. */
export async function follow(id, take, signal) {
  let from = 0;
  while (true) {
    const job = await api.lines(id, from, signal);
    from += job.lines.length;
    for (const [kind, text] of job.lines) take(job, kind, text);
    take(job);
    if (job.state === "ended" && from >= job.count) return job;
    await api.breathe();
  }
}

/** A job on the page, until `signal` says that nobody looks; `ended` gets it at its end. */
export function panel(job, signal, { ended = () => {}, saw = () => {} } = {}) {
  const bar = h("progress", { max: "1", "aria-label": "Progress", hidden: true });
  const state = h("p", { class: "status", role: "status" });
  const said = h("div", { class: "said" });
  const trouble = h("div");
  const act = (what) => async () => {
    try { show(await api.post(`studio/jobs/${job.id}`, { do: what })); } catch (error) { fill(trouble, failure(error)); }
  };
  const hold = button("Pause", () => act(hold.textContent === "Pause" ? "pause" : "go on")());
  const stop = button("Stop", act("stop"));
  const forget = button("Put away", async () => {
    await api.remove(`studio/jobs/${job.id}`).catch(() => {});
    element.remove();
  }, { class: "quiet" });
  const element = h("section", { class: "job", "aria-label": line(job.words) },
    commandLine(job.words), bar, state, trouble, said, h("div", { class: "row" }, hold, stop, forget));
  let progress = null;

  function show(facts) {
    const isOver = facts.state === "ended";
    hold.hidden = stop.hidden = isOver;
    forget.hidden = !isOver;
    hold.textContent = facts.state === "paused" ? "Go on" : "Pause";
    bar.hidden = isOver || !progress;
    const left = progress?.secondsLeft >= 1 ? `, ${seconds(progress.secondsLeft)} left` : "";
    state.textContent = isOver
      ? { 0: "Done", 130: "Stopped" }[facts.code] ?? `Failed, with exit code ${facts.code}`
      : facts.state === "paused" ? "Paused" : progress ? `${progress.label}: ${progress.text}${left}` : "Running";
    element.dataset.state = isOver ? (facts.code === 0 ? "done" : facts.code === 130 ? "stopped" : "failed") : facts.state;
  }

  show(job);
  follow(job.id, (facts, kind, text) => {
    if (kind === "err") {
      const { progress: now, error, warning, note, findings } = parsed(text);
      if (now) {
        progress = now;
        bar.indeterminate = now.fraction === null;
        if (now.fraction === null) bar.removeAttribute("value"); else bar.value = now.fraction;
      } else if (error) trouble.append(failure(error), ...(Array.isArray(findings) ? listed({ findings, accepted: false }) : []));
      else said.append(theirs(warning ?? note, "p"));
      while (said.childElementCount > 40) said.firstElementChild.remove();
    } else if (kind === "out") saw(text);
    else show(facts);
  }, signal).then((facts) => ended(facts), (error) => {
    if (error.name !== "AbortError") fill(trouble, failure(error));
  });
  return element;
}
