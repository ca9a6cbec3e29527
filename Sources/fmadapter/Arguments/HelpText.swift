/// The help of a command, made from its declaration: examples first, then what can be given.
struct HelpText {
  let command: Command
  /// Names of the commands above and of this one, without the program's.
  let path: [String]
  /// Width that no line of running text exceeds.
  let columns: Int

  var lines: [Line] {
    var sections = [wrapped(command.summary + ".")]
    sections += examples
    sections.append(usage)
    sections += command.details.map { wrapped($0) }
    for group in command.subcommands {
      sections.append(table(group.title, group.commands.map { ($0.name, $0.summary) }))
    }
    if !command.arguments.isEmpty {
      sections.append(table("Arguments", command.arguments.map { ("<\($0.name)>", $0.help) }))
    }
    sections.append(table("Options", options.map { (Self.spelling(of: $0), $0.explanation) }))
    sections += closing
    return Array(sections.joined(separator: [""]))
  }

  /// The form of the command line; it breaks after a word where the terminal is narrow.
  var usage: [Line] {
    var words = ["fmadapter"] + path
    if command.children.isEmpty {
      words += command.arguments.map(\.usage) + ["[options]"]
    } else {
      words.append("<command>")
    }
    let lines = TextLayout.wrap(words.joined(separator: " "), columns: columns - 7)
    return lines.enumerated().map { index, line in
      index == 0 ? "\("Usage:", .bold) \(line)" : "       \(line)"
    }
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

  private var closing: [[Line]] {
    guard !command.children.isEmpty else { return [] }
    let name = (["fmadapter"] + path).joined(separator: " ")
    return [wrapped("'\(name) <command> --help' shows examples and options of a command.")]
  }

  private var examples: [[Line]] {
    guard !command.examples.isEmpty else { return [] }
    let blocks = command.examples.map { example in
      ["  \(example.line)"] + wrapped(example.note, indent: 6)
    }
    return [[Line("Examples:", .bold)] + blocks.flatMap(\.self)]
  }

  private func wrapped(_ text: String, indent: Int = 0) -> [Line] {
    Line(String(repeating: " ", count: indent) + text).wrapped(columns: columns)
  }

  /// Terms with their explanations beside them, or below them where there is no room beside.
  private func table(_ title: String, _ rows: [(term: String, text: String)]) -> [Line] {
    let widest = rows.map(\.term.count).max() ?? 0
    let beside = widest + 4 <= columns / 2
    let indent = beside ? widest + 4 : 6
    let lines = rows.flatMap { row -> [Line] in
      let text = wrapped(row.text, indent: indent)
      guard beside, let first = text.first else { return ["  \(row.term)"] + text }
      let term = "  " + row.term
      return [Line(term + first.text.dropFirst(term.count))] + text.dropFirst()
    }
    return [Line(title + ":", .bold)] + lines
  }
}
