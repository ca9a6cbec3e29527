// What is installed: looked at, checked, brought in and taken away.

import * as api from "./api.js";
import { bars, shareBar } from "./chart.js";
import { button, counted, failure, field, fill, h, say, size, theirs } from "./dom.js";
import { dropZone, upload } from "./drop.js";
import { findings } from "./findings.js";
import * as jobs from "./jobs.js";

/** Jobs that have ended and are still shown. */
const shownJobs = 3;
const own = new Set(["install", "update", "remove", "catalog"]);

export async function open(main, address, { models, signal }) {
  const one = address.get("a");
  if (one) await detail(main, one, models, signal);
  else await overview(main, models, signal);
}

const address = (identifier) => `#/adapters?a=${encodeURIComponent(identifier)}`;

async function overview(main, models, signal) {
  const running = h("div", { class: "jobs" });
  const cards = h("div", { class: "cards" });
  const disk = h("section", { "aria-label": "Disk" });
  const catalogs = h("section", { "aria-label": "Catalogs" });
  const trouble = h("div");
  let newer = new Map();

  async function list() {
    try {
      const adapters = await api.report(["list"], signal);
      fill(cards, adapters.length === 0
        ? h("p", { class: "note" }, "No adapter is installed. Install one by its name, from an address, or drop its folder here.")
        : adapters.map((adapter) => card(adapter, models, newer.get(adapter.identifier), launch)));
      await usage(disk, models, signal);
      for (const [index, adapter] of adapters.entries()) await examine(cards.children[index], adapter, signal);
    } catch (error) { if (error.name !== "AbortError") fill(trouble, failure(error)); }
  }

  async function launch(words, then = () => {}) {
    fill(trouble);
    try { show(await jobs.start(words), then); } catch (error) { fill(trouble, failure(error)); }
  }

  function show(job, then = () => {}) {
    running.prepend(jobs.panel(job, signal, { ended: (facts) => {
      if (facts.code === 0) then();
      say(`${jobs.line(facts.words)}: ${facts.code === 0 ? "done" : "failed"}`);
      if (job.state === "ended") return;
      list();
      if (facts.words[0] === "catalog") listCatalogs(catalogs, signal, launch);
    } }));
  }

  const source = h("input", { placeholder: "tagging, https://…, hf:owner/repo", spellcheck: "false", autocapitalize: "off", required: true });
  const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); launch(["install", source.value.trim(), "--json"]); } },
    field("Name in the catalogs, address, or hf:owner/repo", source), h("button", { type: "submit", class: "primary" }, "Install"));
  const drop = dropZone("A package's folder, or its files", async (files) => {
    const names = new Set(files.map(({ name }) => name.split("/")[0]));
    const folder = names.size === 1 && files[0].name.includes("/") ? [...names][0] : "dropped.fmadapter";
    const named = files.map(({ name, file }) => ({ file, name: name.includes("/") ? name : `${folder}/${name}` }));
    const target = await upload(named, trouble, signal);
    const kept = folder.replaceAll(/[^\w.-]/g, "_");
    if (target) await launch(["install", `./${kept}`, "--json"], () => api.removeFile(kept));
  }, { folder: true });
  const look = button("Look for updates", async () => {
    look.disabled = true;
    try {
      const found = await api.report(["update", "--check"], signal);
      newer = new Map(found.map((entry) => [entry.identifier, entry]));
      const count = found.filter((entry) => entry.wouldInstall).length;
      fill(trouble, h("p", { role: "status", class: "note" }, found.length === 0 ? "No installed adapter is in a catalog."
        : count === 0 ? "All adapters are up to date." : `${counted(count, "adapter")} can be updated.`),
      count > 1 && button("Update all", () => launch(["update"])));
      await list();
    } catch (error) { fill(trouble, failure(error)); }
    look.disabled = false;
  });
  fill(main, h("h1", {}, "Adapters"), form, drop, trouble, running, h("div", { class: "row" }, look), cards, disk, catalogs);
  const known = (await jobs.all()).filter((job) => own.has(job.words[0]));
  for (const job of known) if (job.state !== "ended" || known.indexOf(job) >= known.length - shownJobs) show(job);
  await list();
  await listCatalogs(catalogs, signal, launch);
}

function card(adapter, models, newer, launch) {
  const model = models.find((model) => model.root === adapter.identifier);
  const base = models.find((base) => base.root === adapter.baseModelSignature);
  const actions = h("div", { class: "row" },
    model && h("a", { class: "button", href: `#/compare?m=${encodeURIComponent(model.parent)}&m=${encodeURIComponent(model.id)}` }, "Compare"),
    newer?.wouldInstall && button(`Update to ${newer.offered}`, () => launch(["update", adapter.identifier])),
    removal(adapter, launch));
  return h("article", { class: "card", "aria-label": adapter.identifier },
    h("h2", {}, h("a", { href: address(adapter.identifier) }, theirs(adapter.name))),
    h("p", { class: "note" }, [
      adapter.version, size(adapter.size), `rank ${adapter.rank}`, base ? `on ${base.id}` : "its base is not installed",
      adapter.unverified.length > 0 ? "unverified" : null, adapter.compiled ? "compiled" : null,
    ].filter(Boolean).join(" · ")),
    h("p", { class: "note" }, "From ", theirs(adapter.source ?? "where nobody has noted"), adapter.installed && `, ${adapter.installed.slice(0, 10)}`),
    h("div", { class: "more" }), actions);
}

/** Asks once before it removes. */
function removal(adapter, launch) {
  const place = h("span", { class: "row" });
  const begin = button("Remove", () => {
    const yes = button(`Remove ${adapter.name}`, () => launch(["remove", adapter.identifier]), { class: "danger" });
    fill(place, yes, button("Keep", () => { fill(place, begin); begin.focus(); }));
    yes.focus();
  }, { "aria-label": `Remove ${adapter.name}…` });
  place.append(begin);
  return place;
}

/** Draws what a card has to say that takes the program a while. */
async function examine(element, adapter, signal) {
  const place = element?.querySelector(".more");
  if (!place) return;
  try {
    const info = await api.report(["info", adapter.identifier], signal);
    const { description, author, license } = info.metadata;
    fill(place, description && theirs(description, "p"),
      h("p", { class: "note" }, [author && `by ${author}`, license].filter(Boolean).join(", ")),
      norms(info), h("div", { class: "findings" }, h("p", { class: "note" }, "checking…")));
    const checked = await api.report(["check", adapter.identifier], signal);
    fill(place.querySelector(".findings"), findings(checked));
  } catch (error) { if (error.name !== "AbortError") fill(place, failure(error)); }
}

function norms(info) {
  const [low, high] = [Math.min(...info.layerNorms), Math.max(...info.layerNorms)];
  const label = `Norm of the change by layer: ${counted(info.layerCount, "layer")}, ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return h("figure", {}, bars(info.layerNorms, label), h("figcaption", { class: "caption" }, label));
}

async function usage(element, models, signal) {
  const disk = await api.report(["df"], signal);
  const items = disk.items.filter((item) => item.kind !== "other").sort((a, b) => b.size - a.size);
  const named = (item) => models.find((model) => model.root === item.name)?.id ?? item.name;
  const largest = items[0]?.size || 1;
  fill(element, h("h2", {}, "Disk"),
    h("p", { class: "note" }, `${size(disk.allocated)} in the store, ${size(disk.free)} free.`),
    items.length > 0 && h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "What takes room" }, h("table", {}, h("tbody", {}, items.map((item) => h("tr", {},
      h("th", { scope: "row" }, theirs(named(item))), h("td", {}, item.kind), h("td", { class: "figure" }, size(item.size)),
      h("td", { class: "wide" }, shareBar(item.size / largest, `${size(item.size)}`))))))));
}

async function listCatalogs(element, signal, launch) {
  const added = h("input", { placeholder: "https://…", spellcheck: "false", autocapitalize: "off", required: true });
  const form = h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); launch(["catalog", "add", added.value.trim()]); } },
    field("Address of a catalog", added), h("button", { type: "submit" }, "Add"));
  try {
    const [known, offers] = await Promise.all([api.report(["catalog", "list"], signal), api.report(["catalog", "show"], signal)]);
    fill(element, h("h2", {}, "Catalogs"), known.length === 0
      ? h("p", { class: "note" }, "None is known.")
      : h("ul", {}, known.map((catalog) => h("li", {}, theirs(catalog.place ?? catalog.address), " ",
      catalog.address.startsWith("http") && button("Remove", () => launch(["catalog", "remove", catalog.address]), { class: "quiet", "aria-label": `Remove ${catalog.address}` })))),
    offers.length > 0 && h("ul", { class: "found" }, offers.map((offer) => h("li", {}, theirs(`${offer.name} ${offer.version ?? ""}`), " ",
      button("Install", () => launch(["install", offer.name, "--json"]), { "aria-label": `Install ${offer.name}` }), " ", theirs(offer.description ?? "")))), form);
  } catch (error) { if (error.name !== "AbortError") fill(element, h("h2", {}, "Catalogs"), failure(error), form); }
}

/** One adapter, with all that it says. */
async function detail(main, identifier, models, signal) {
  fill(main, h("p", {}, h("a", { href: "#/adapters" }, "All adapters")), h("h1", {}, theirs(identifier)), h("p", { class: "status" }, "reading…"));
  let info;
  try { info = await api.report(["info", identifier], signal); } catch (error) {
    return fill(main, h("p", {}, h("a", { href: "#/adapters" }, "All adapters")), h("h1", {}, theirs(identifier)), failure(error));
  }
  const checked = await api.report(["check", identifier], signal);
  const rows = leaves({ ...info.metadata, rank: info.rank, alpha: info.alpha, parameters: info.parameterCount, needs: info.needs });
  const most = Math.max(...info.pairs.map((pair) => pair.norm ?? 0));
  const byTarget = info.targets.map((target) => {
    const values = Array.from({ length: info.layerCount }, (_, layer) => (
      info.pairs.find((pair) => pair.target === target && pair.layer === layer)?.norm ?? 0));
    return h("figure", {}, bars(values, `${target}: norms by layer, up to ${Math.max(...values).toFixed(2)}`, { most }), h("figcaption", { class: "caption" }, target));
  });
  const model = models.find((model) => model.root === info.metadata.adapterIdentifier);
  return fill(main, h("p", {}, h("a", { href: "#/adapters" }, "All adapters")), h("h1", {}, theirs(identifier)),
    model && h("p", {}, h("a", { href: `#/compare?m=${encodeURIComponent(model.parent)}&m=${encodeURIComponent(model.id)}` }, "Compare with its base")),
    h("h2", {}, "Check"), findings(checked),
    h("h2", {}, "Norm of the change, by layer"), norms(info), h("div", { class: "cards small" }, byTarget),
    h("h2", {}, "What it says of itself"), h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Metadata" }, h("table", {}, h("tbody", {},
      rows.map(([key, value]) => h("tr", {}, h("th", { scope: "row" }, theirs(key)), h("td", {}, theirs(value))))))),
    h("h2", {}, "Files"), h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Files" }, h("table", {}, h("tbody", {}, info.files.map((file) => h("tr", {},
      h("th", { scope: "row" }, theirs(file.name)), h("td", { class: "figure" }, size(file.size)), h("td", { class: "code" }, file.sha256)))))));
}

/** Every value of an object with the keys that lead to it. */
function leaves(value, path = "") {
  if (value === null || typeof value !== "object") return [[path, String(value)]];
  if (Array.isArray(value) && value.every((entry) => entry === null || typeof entry !== "object")) return [[path, value.join(", ")]];
  return Object.entries(value).flatMap(([key, entry]) => leaves(entry, path ? `${path}.${key}` : key));
}
