// Files that are dropped on the page, or chosen, and brought into the studio's folder.

import * as api from "./api.js";
import { button, failure, fill, h } from "./dom.js";

/** A place to drop files on, or to choose them at. */
export function dropZone(label, take, { folder = false } = {}) {
  const input = h("input", { type: "file", multiple: true, webkitdirectory: folder, class: "unseen", "aria-label": label });
  input.addEventListener("change", () => {
    take([...input.files].map((file) => ({ file, name: file.webkitRelativePath || file.name })));
    input.value = "";
  });
  const zone = h("div", { class: "drop" }, h("p", {}, `${label}: drop it here, or `, button("choose", () => input.click())), input);
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const found = [];
    for (const entry of entries) await gather(entry, found);
    take(found.length > 0 ? found : [...event.dataTransfer.files].map((file) => ({ file, name: file.name })));
  });
  return zone;
}

async function gather(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    found.push({ file, name: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  while (true) {
    const entries = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (entries.length === 0) return;
    for (const inner of entries) await gather(inner, found);
  }
}

/** Puts files into the studio's folder; whether all are there. */
export async function upload(files, place, signal) {
  const bar = h("progress", { max: "1", value: 0, "aria-label": "Progress" });
  const stopping = new AbortController();
  const stop = AbortSignal.any([signal, stopping.signal]);
  const shown = h("p", { class: "status" }, bar, " ", button("Stop", () => stopping.abort()));
  fill(place, shown);
  const whole = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
  let done = 0;
  try {
    for (const { file, name } of files) {
      const kept = name.split("/").map((part) => part.replaceAll(/[^\w.-]/g, "_").replace(/^[.-]+/, "_")).join("/");
      await api.put(kept, file, { signal: stop, progress: (count) => { bar.value = (done + count) / whole; } });
      done += file.size;
    }
    fill(place);
    return true;
  } catch (error) {
    fill(place, error.name === "AbortError" ? h("p", { class: "note" }, "Stopped.") : failure(error));
    return false;
  }
}
