// Which part is shown, by the address.

import * as api from "./api.js";
import { button, failure, field, fill, h, theirs } from "./dom.js";
import { load } from "./models.js";

const main = document.getElementById("main");
const all = { compare: "Compare", sets: "Prompt sets", adapters: "Adapters", training: "Training" };
let [looking, about] = [new AbortController(), null];

async function show() {
  const [, part = "compare", query = ""] = /^#\/(\w+)(?:\?(.*))?$/s.exec(location.hash) ?? [];
  looking.abort();
  const { signal } = looking = new AbortController();
  // A part that is left goes on in a place that nobody sees.
  const place = h("div");
  try {
    about ??= await api.get("studio/about");
    const name = Object.hasOwn(parts(), part) ? part : "compare";
    const [{ open }, models] = await Promise.all([import(`./${name}.js`), about.commands ? load([]) : api.get("v1/models").then(({ data }) => data)]);
    if (signal.aborted) return;
    navigate(name, models);
    fill(main, place);
    await open(place, new URLSearchParams(query), { models, signal });
  } catch (error) {
    if (!signal.aborted) refuse(error);
  }
}

/** The parts that this server has. */
function parts() {
  return about.commands ? all : { compare: all.compare };
}

function navigate(part, models) {
  const links = Object.entries(parts());
  document.title = `${all[part]} · Studio`;
  fill(document.getElementById("base"), models[0] && theirs(models[0].id));
  fill(document.getElementById("parts"), links.length > 1 && links.map(([name, title]) => (
    h("a", { href: `#/${name}`, "aria-current": name === part ? "page" : undefined }, title))));
}

function refuse(error) {
  if (error.status !== 401) {
    return fill(main, h("h1", {}, "Studio"), failure(error), h("p", {}, button("Try again", show)));
  }
  const key = h("input", { type: "password", autocomplete: "off", required: true });
  const form = h("form", { onsubmit: (event) => { event.preventDefault(); api.setToken(key.value.trim()); show(); } },
    h("h1", {}, "A key is needed"),
    h("p", {}, "Open the address that the server has printed, which has one, or give a key of the server."),
    field("Key", key), h("div", { class: "row" }, h("button", { type: "submit", class: "primary" }, "Go on")));
  fill(main, form);
  key.focus();
}

document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
api.takeToken();
addEventListener("hashchange", () => { api.takeToken(); show(); });
show();
