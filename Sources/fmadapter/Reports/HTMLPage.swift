import Adapters
import JSON

/// A page of HTML that needs nothing else: no script, nothing from a network.
///
/// Everything in it that others wrote has to go through ``Swift/String/markup``.
struct HTMLPage {
  let title: String
  /// The elements below the title, as markup.
  let body: String

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
    td.text { white-space: pre-wrap; unicode-bidi: plaintext; text-align: start; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: .85em; }
    svg { width: 100%; } svg text { font-size: 11px; fill: #666; } svg .left { text-anchor: end; }
    svg .middle { text-anchor: middle; } .axis { stroke: #bbb; } .batches { fill: none; stroke: #9db8d9; } .measures { fill: none; stroke: #c2410c; stroke-dasharray: 4 3; } .measure { fill: #c2410c; }
    .base { stroke: #9db8d9; fill: #9db8d9; } .adapter { stroke: #c2410c; fill: #c2410c; }
    .key { color: #666; font-size: .85em; } .right { color: #15803d; } .wrong { color: #b91c1c; }
    @media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818; } td, th { border-color: #444; } .axis { stroke: #666; } }
    </style>
    </head>
    <body>
    <h1>\(title.markup)</h1>
    \(body)
    </body>
    </html>

    """
  }

  /// The members of an object as a table of two columns.
  static func table(_ members: [JSONObject.Member]) -> String {
    table(members.map { ($0.key, $0.value.string ?? $0.value.line) })
  }

  /// A table of two columns.
  static func table(_ rows: [(name: String, text: String)]) -> String {
    let rows = rows.map { row in
      "<tr><th>\(row.name.markup)</th><td class=\"text\">\(row.text.markup)</td></tr>"
    }
    return "<table>\n" + rows.joined(separator: "\n") + "\n</table>"
  }
}

extension String {
  /// The text for a page of HTML, which shows it and never obeys it.
  var markup: String {
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
