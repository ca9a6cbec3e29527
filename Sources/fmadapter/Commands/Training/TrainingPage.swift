import Adapters
import TensorFiles

/// A training as one page of HTML that needs nothing else: curves, settings, and answers after each epoch.
struct TrainingPage {
  let title: String
  let events: [JSONObject]
  let curve: LossCurve
  /// What the measured losses are of.
  let measured: String

  /// The whole page; everything in it that others wrote goes through ``Swift/String/markup``.
  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(title.markup)</title>
    <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2em auto; padding: 0 1em; color: #222; background: #fff; }
    h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
    table { border-collapse: collapse; width: 100%; } td, th { border-bottom: 1px solid #ddd; padding: .3em .6em; text-align: left; vertical-align: top; }
    td.text { white-space: pre-wrap; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .85em; }
    svg { width: 100%; } svg text { font-size: 11px; fill: #666; } svg .left { text-anchor: end; }
    .axis { stroke: #bbb; } .batches { fill: none; stroke: #9db8d9; } .measures { fill: none; stroke: #c2410c; stroke-dasharray: 4 3; } .measure { fill: #c2410c; }
    .key { color: #666; font-size: .85em; } .right { color: #15803d; }
    @media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } td, th { border-color: #444; } .axis { stroke: #666; } }
    </style>
    </head>
    <body>
    <h1>\(title.markup)</h1>
    \(summary)
    <h2>Loss</h2>
    \(curve.svg(measured: measured))
    <p class="key">Blue: mean of the batches, in nats a token. Orange: \(measured.markup).</p>
    \(samples)
    <h2>Settings</h2>
    \(settings)
    </body>
    </html>

    """
  }

  private func last(_ kind: String) -> JSONObject? {
    events.last { $0["event"]?.string == kind }
  }

  private var summary: String {
    guard let end = last("end") else { return "<p>This training has not ended.</p>" }
    if let message = end["error"]?.string { return "<p>\(message.markup)</p>" }
    return Self.table(end, leavingOut: ["event"])
  }

  private var settings: String {
    guard let start = last("start") else { return "" }
    var facts = start
    let options = start["options"]?.object
    facts["options"] = nil
    for member in options?.members ?? [] { facts[member.key] = member.value }
    return Self.table(facts, leavingOut: ["event"])
  }

  private var samples: String {
    let found = events.filter { $0["event"]?.string == "sample" }
    guard !found.isEmpty else { return "" }
    var text = "<h2>Answers on the way</h2>\n"
    var prompts: [String] = []
    for sample in found {
      let prompt = sample["prompt"]?.string ?? ""
      if !prompts.contains(prompt) { prompts.append(prompt) }
    }
    for prompt in prompts {
      let own = found.filter { $0["prompt"]?.string == prompt }
      let wanted = own[0]["expected"]?.string ?? ""
      text += "<table><tr><th>asked</th><td class=\"text\">\(prompt.markup)</td></tr>\n"
      text += "<tr><th>to be learnt</th><td class=\"text\">\(wanted.markup)</td></tr>\n"
      for sample in own {
        let answer = sample["answer"]?.string ?? ""
        let kind = answer == wanted ? "text right" : "text"
        let step = Figures.grouped(sample["step"]?.integer ?? 0)
        text += "<tr><th>step \(step)</th><td class=\"\(kind)\">\(answer.markup)</td></tr>\n"
      }
      text += "</table><p></p>\n"
    }
    return text
  }

  private static func table(_ object: JSONObject, leavingOut names: Set<String>) -> String {
    let rows = object.members.filter { !names.contains($0.key) }.map { member in
      let text = member.value.string ?? member.value.line
      return "<tr><th>\(member.key.markup)</th><td class=\"text\">\(text.markup)</td></tr>"
    }
    return "<table>\n" + rows.joined(separator: "\n") + "\n</table>"
  }
}

extension String {
  /// The text for a page of HTML, which shows it and never obeys it.
  fileprivate var markup: String {
    printableLines.reduce(into: "") { text, sign in
      switch sign {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      case "'": text += "&#39;"
      default: text.unicodeScalars.append(sign)
      }
    }
  }

  /// The scalars, without those that would steer or reorder what is shown, but for line ends.
  private var printableLines: [Unicode.Scalar] {
    Array(
      split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
        .joined(separator: "\n").unicodeScalars)
  }
}
