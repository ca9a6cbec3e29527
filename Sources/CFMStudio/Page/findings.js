// What a check has found, of packages and of data sets.

import { counted, h, theirs } from "./dom.js";

/** Findings of a check, the worst ones first. */
export function findings(report) {
  const order = ["error", "warning", "note"];
  const sorted = [...report.findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  if (sorted.length === 0) return [h("p", { class: "good" }, "✓ The check finds nothing.")];
  const shown = sorted.slice(0, 200);
  return [
    h("p", { class: report.accepted ? "note" : "bad" }, `${report.accepted ? "Accepted" : "Refused"}, ${counted(sorted.length, "finding")}.`),
    h("ul", { class: "found" }, shown.map((finding) => h("li", { class: finding.severity },
      h("span", { class: "tag" }, finding.severity), " ", theirs(place(finding.place)), " ", theirs(finding.message), " ", theirs(finding.remedy, "em")))),
    shown.length < sorted.length ? h("p", { class: "note" }, `${counted(sorted.length - shown.length, "more finding")}.`) : "",
  ];
}

function place({ file, line, key, tensor, offset }) {
  const at = line ? `line ${line}` : tensor ?? key ?? (offset !== undefined ? `byte ${offset}` : "");
  return `${file.split("/").at(-1)}${at ? `, ${at}` : ""}:`;
}
