// Whether JSON and markup in an answer are well formed.

/** A sentence on the JSON or markup of a text, and whether it is well formed; null where it has neither. */
export function formed(text, expectsJSON = false) {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1] ?? trimmed;
  if (expectsJSON || /^[{[]/.test(fenced)) return json(fenced);
  return /<[a-z][^<>]*>|<\/[a-z][^<>]*>/i.test(text) ? markup(text) : null;
}

function json(text) {
  try {
    JSON.parse(text);
    return { isGood: true, text: "JSON, well formed" };
  } catch (error) {
    return { isGood: false, text: `JSON, not well formed: ${error.message}` };
  }
}

const empty = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]);

function markup(text) {
  const open = [];
  for (const [, close, name, self] of text.matchAll(/<(\/?)([a-z][\w:.-]*)(?:\s[^<>]*?)?(\/?)>/gi)) {
    if (self || (!close && empty.has(name.toLowerCase()))) continue;
    if (!close) open.push(name);
    else if (open.pop() !== name) return { isGood: false, text: `Markup, not well formed: </${name}> ends what is not open` };
  }
  return open.length === 0 ? { isGood: true, text: "Markup, well formed" }
    : { isGood: false, text: `Markup, not well formed: <${open.at(-1)}> is not ended` };
}
