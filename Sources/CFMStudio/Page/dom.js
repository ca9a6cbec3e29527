// Elements are made here, and nowhere of markup: what others wrote is text, whatever it says.

const svgNames = new Set(["svg", "path", "line", "rect", "circle", "text", "polyline", "title", "g"]);

/** An element with attributes (`on…` are listeners, `value` and the like properties) and children, which may be texts. */
export function h(name, attributes = {}, ...children) {
  const isDrawn = svgNames.has(name) && attributes !== null && name !== "title" || attributes?.drawn;
  const element = isDrawn
    ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false || key === "drawn") continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (["value", "checked", "disabled", "open", "selected", "hidden", "indeterminate"].includes(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Puts children in the place of those that an element has. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Tells who cannot see it. */
export function say(text) {
  const place = document.getElementById("said");
  place.textContent = "";
  setTimeout(() => { place.textContent = text; }, 30);
}

let count = 0;

/** A field with its label. */
export function field(label, input, { hint, wide } = {}) {
  input.id ||= `f${count += 1}`;
  const parts = [h("label", { for: input.id }, label), input];
  if (hint) {
    const id = `${input.id}h`;
    input.setAttribute("aria-describedby", id);
    parts.push(h("p", { id, class: "hint" }, hint));
  }
  return h("div", { class: wide ? "field wide" : "field" }, ...parts);
}

export function button(text, action, attributes = {}) {
  return h("button", { type: "button", onclick: action, ...attributes }, text);
}

/** A text that others wrote, by its own direction. */
export function theirs(text, name = "span") { return h(name, { dir: "auto", class: "theirs" }, String(text ?? "")); }

const sizes = ["B", "kB", "MB", "GB", "TB"];

export function size(bytes) {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < sizes.length - 1) { value /= 1000; unit += 1; }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toPrecision(3)} ${sizes[unit]}`;
}

export function counted(count, noun, many = `${noun}s`) {
  return `${grouped(count)} ${count === 1 ? noun : many}`;
}

export function grouped(number) { return Number(number).toLocaleString("en-US"); }

export function seconds(value) {
  return value < 10 ? `${value.toFixed(2)} s` : value < 120 ? `${value.toFixed(0)} s`
    : value < 7200 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`;
}

/** What went wrong, as a paragraph that is told at once. */
export function failure(error) {
  return h("p", { class: "failure", role: "alert", dir: "auto" }, String(error?.message ?? error));
}

/** Calls `action` once nobody has asked for a while. */
export function lazily(action, wait = 300) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
}

/** Calls `action` soon, and not more often than each `wait` milliseconds, however often it is asked for. */
export function paced(action, wait) {
  let timer = 0;
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      action();
    }, wait);
  };
}
