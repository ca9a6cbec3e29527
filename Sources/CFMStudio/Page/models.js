// The models that there are, and the choice of one.

import * as api from "./api.js";
import { h } from "./dom.js";

const other = "other";

/** A name without the strength of its adapter, and that strength. */
export function split(name) {
  const match = /^([^+]+):(-?\d+(?:\.\d+)?)$/.exec(name);
  return match ? [match[1], match[2]] : [name, "1"];
}

const tried = new Map();

/** Lets the server load the packages in the studio's folder that it has not yet, and takes the models that there are then into `models`. */
export async function load(models) {
  for (const { name, modified } of await api.files()) {
    const folder = /^([\w.-]+)\.fmadapter\/metadata\.json$/.exec(name)?.[1];
    if (!folder || tried.get(folder) === modified) continue;
    tried.set(folder, modified);
    // What is for another base, or has the name of an installed one, is no model here.
    await api.post("v1/load_lora_adapter", { lora_name: folder, lora_path: `${folder}.fmadapter`, load_inplace: true }).catch(() => {});
  }
  models.splice(0, models.length, ...(await api.get("v1/models")).data);
  return models;
}

/** Chooses a base, an adapter with its strength, or any other name that the server knows. */
export function picker(models, chosen, change, label) {
  let [name, scale] = split(chosen ?? "");
  const isKnown = models.some((model) => model.id === name);
  const bases = models.filter((model) => !model.parent);
  const option = (model) => h("option", { value: model.id, selected: isKnown && model.id === name }, model.id);
  const select = h("select", { "aria-label": label },
    bases.map((base) => h("optgroup", { label: `On ${base.id}` }, option(base),
      models.filter((model) => model.parent === base.id).map((model) => option(model)))),
    h("option", { value: other, selected: !isKnown }, "Another name…"));
  const text = h("input", { class: "name", value: isKnown ? "" : chosen ?? "", "aria-label": `${label}, its name`, placeholder: "triage@1.0.0, base+triage:0.5", spellcheck: "false", autocapitalize: "off" });
  const strength = h("input", { type: "number", class: "scale", step: "0.1", min: "-10", max: "10", value: scale, "aria-label": `${label}, strength`, title: "Strength of the adapter" });
  const show = () => {
    text.hidden = select.value !== other;
    strength.hidden = select.value === other || !models.find((model) => model.id === select.value)?.parent;
  };
  const tell = () => {
    show();
    if (select.value === other) return change(text.value.trim());
    [name, scale] = [select.value, strength.value || "1"];
    return change(strength.hidden || Number(scale) === 1 ? name : `${name}:${scale}`);
  };
  select.addEventListener("change", () => { strength.value = "1"; tell(); if (!text.hidden) text.focus(); });
  text.addEventListener("input", tell);
  strength.addEventListener("input", tell);
  show();
  return h("span", { class: "picker" }, select, text, strength);
}
