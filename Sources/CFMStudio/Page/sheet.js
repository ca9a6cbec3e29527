// What goes out of a prompt set: files to keep, and a page that needs nothing else.

const style = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; color: #22201d; background: #fbfaf8; }
h1 { font-size: 1.35rem; } table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: start; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid #ddd8d0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.good { color: #2c6a39; } .bad { color: #a8201a; } .note { color: #6a645c; font-size: .85rem; }
@media (prefers-color-scheme: dark) { body { color: #e9e4dc; background: #181715; } th, td { border-color: #3a3631; } .note { color: #a49c91; } .good { color: #86c894; } .bad { color: #ff8d84; } }`;

const words = new Map([[1, "good"], [0.5, "fair"], [0, "bad"]]);

/** A set with its results as one page of HTML; the browser writes it, so that all texts are escaped. */
export function pageOf(set, results) {
  const page = document.implementation.createHTMLDocument(`Prompt set ${set.name}`);
  const make = (name, text, attributes = {}) => {
    const element = page.createElement(name);
    if (text !== undefined) element.append(text);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const row = (...parts) => {
    const element = page.createElement("tr");
    element.append(...parts);
    return element;
  };
  const table = (heads, rows) => {
    const element = page.createElement("table");
    element.append(row(...heads.map((head) => make("th", head, { scope: "col" }))), ...rows);
    return element;
  };
  page.documentElement.lang = "en";
  const policy = { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" };
  page.head.prepend(make("meta", undefined, { charset: "utf-8" }), make("meta", undefined, policy),
    make("meta", undefined, { name: "viewport", content: "width=device-width, initial-scale=1" }));
  const figure = (estimate) => (estimate ? `${estimate.value.toFixed(3)} [${estimate.low.toFixed(2)}, ${estimate.high.toFixed(2)}]` : "");
  page.body.append(make("h1", `Prompt set ${set.name}`),
    table(["Column", "Good", "Fair", "Bad", "Score", "Above a"], results.map((entry) => row(
      make("th", `${entry.name} ${entry.model}`, { scope: "row" }), ...entry.counts.map((count) => make("td", String(count))), make("td", figure(entry.score)), make("td", figure(entry.above))))),
    make("p", `Good counts 1, fair 0.5, bad 0; intervals of 95 %. Seed ${set.seed}, temperature ${set.temperature === "" ? "of each model" : set.temperature}.`, { class: "note" }),
    table(["Prompt", ...results.map((entry) => `${entry.name} ${entry.model}`)], set.prompts.map((prompt, index) => row(
      make("th", prompt.messages.at(-1).content, { scope: "row", dir: "auto" }),
      ...set.models.map((_, column) => {
        const found = set.answers[index]?.[column];
        const cell = make("td", found?.text ?? "", { dir: "auto" });
        const vote = words.get(set.votes[index]?.[column]);
        if (vote) cell.append(make("div", vote, { class: vote }));
        return cell;
      })))));
  // Not as an element: the policy of this page would be held against it.
  const text = new XMLSerializer().serializeToString(page.documentElement).replace("</head>", () => `<style>${style}</style></head>`);
  return `<!doctype html>\n${text}\n`;
}

/** Lets the browser keep a text as a file. */
export function save(name, text, type = "application/x-ndjson") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
