/// The help of a command, made from its declaration: examples first, then what can be given.
struct HelpText {
  let command: Command
  /// Names of the commands above and of this one, without the program's.
  let path: [String]
  /// Width that no line of running text exceeds.
  let columns: Int
  var style = TextStyle.plain

  var text: String {
    var sections = [wrapped(command.summary + ".", indent: 0)]
    sections += examples
    sections.append(heading("Usage:") + " " + usage)
    sections += command.details.map { wrapped($0, indent: 0) }
    for group in command.subcommands {
      sections.append(table(group.title, group.commands.map { ($0.name, $0.summary) }))
    }
    if !command.arguments.isEmpty {
      sections.append(table("Arguments", command.arguments.map { ("<\($0.name)>", $0.help) }))
    }
    sections.append(table("Options", options.map { (Self.spelling(of: $0), $0.help) }))
    sections += closing
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The form of the command line; it breaks after a word where the terminal is narrow.
  var usage: String {
    var words = ["fmadapter"] + path
    if command.children.isEmpty {
      words += command.arguments.map(\.usage) + ["[options]"]
    } else {
      words.append("<command>")
    }
    let lines = TextLayout.wrap(words.joined(separator: " "), columns: columns - 7)
    return lines.joined(separator: "\n" + String(repeating: " ", count: 7))
  }

  static func spelling(of option: any OptionDeclaration) -> String {
    let short = option.short.map { $0 + ", " } ?? ""
    let value = option.placeholder.map { " <\($0)>" } ?? ""
    return short + option.name + value
  }

  private var options: [any OptionDeclaration] {
    if !command.children.isEmpty {
      return path.isEmpty
        ? [CommonOptions.version, CommonOptions.help] : [CommonOptions.help]
    }
    return command.allOptions
  }

  private var closing: [String] {
    guard !command.children.isEmpty else { return [] }
    let name = (["fmadapter"] + path).joined(separator: " ")
    return [
      wrapped("'\(name) <command> --help' shows examples and options of a command.", indent: 0)
    ]
  }

  private var examples: [String] {
    guard !command.examples.isEmpty else { return [] }
    let blocks = command.examples.map { example in
      "  " + example.line + "\n" + wrapped(example.note, indent: 6)
    }
    return [heading("Examples:") + "\n" + blocks.joined(separator: "\n")]
  }

  private func heading(_ title: String) -> String { style.bold(title) }

  private func wrapped(_ text: String, indent: Int) -> String {
    TextLayout.wrap(text, columns: columns - indent)
      .map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
  }

  /// Terms with their explanations beside them, or below them where there is no room beside.
  private func table(_ title: String, _ rows: [(term: String, text: String)]) -> String {
    let widest = rows.map(\.term.count).max() ?? 0
    let beside = widest + 4 <= columns / 2
    let indent = beside ? widest + 4 : 6
    let lines = rows.map { row in
      let text = wrapped(row.text, indent: indent)
      guard beside else { return "  \(row.term)\n\(text)" }
      let term = "  " + row.term
      return term + text.dropFirst(term.count)
    }
    return heading(title + ":") + "\n" + lines.joined(separator: "\n")
  }
}
