/// The manual page of a command in section 1, made from its declaration, as mdoc source.
struct ManualPage {
  let command: Command
  /// Names of the commands above and of this one, without the program's.
  let path: [String]
  /// What stands at the foot of the page, such as `November 22, 2026`.
  let date: String
  /// The commands that stand beside this one, and their names.
  private let neighbours: [Command]

  /// The page of `path`, or nil when no command below `root` is called so.
  init?(_ path: [String], root: Command, date: String) {
    var (command, neighbours) = (root, [Command]())
    for name in path {
      guard let child = command.children.first(where: { $0.name == name }) else { return nil }
      neighbours =
        command.subcommands.first { $0.commands.contains { $0.name == name } }?.commands ?? []
      command = child
    }
    (self.command, self.path, self.date, self.neighbours) = (command, path, date, neighbours)
  }

  /// Pages of the program and all its commands.
  static func all(root: Command, date: String) -> [ManualPage] {
    CompletionScript(root: root).entries.compactMap {
      ManualPage($0.place.split(separator: "/").map(String.init), root: root, date: date)
    }
  }

  /// `fmadapter-base-install`, as `man` is asked for it.
  var name: String { Self.name(path) }
  var fileName: String { name + ".1" }

  var source: String {
    let sections = [
      heading, synopsis, description, options, environment, files, exitStatus, examples,
      diagnostics,
      seeAlso,
    ]
    return sections.joined().map { $0 + "\n" }.joined()
  }

  private static func name(_ path: [String]) -> String {
    (["fmadapter"] + path).joined(separator: "-")
  }

  private var typed: String { (["fmadapter"] + path).joined(separator: " ") }

  private var heading: [String] {
    let summary = command.summary
    // "Install" begins a sentence, "JSON" does not.
    let lowered = summary.dropFirst().first?.isLowercase ?? true
    return [
      ".\\\" Made by 'fmadapter man' from the declaration of the command.",
      ".Dd \(date)",
      ".Dt \(name.uppercased()) 1",
      ".Os \(Roff.argument("fmadapter \(programVersion)"))",
      ".Sh NAME",
      ".Nm \(Roff.argument(name))",
      ".Nd "
        + Roff.running(lowered ? summary.prefix(1).lowercased() + summary.dropFirst() : summary),
    ]
  }

  // MARK: How it is called

  private var synopsis: [String] {
    let start = [".Sh SYNOPSIS", ".Nm \(Roff.argument(typed))"]
    guard command.children.isEmpty else {
      let version = path.isEmpty ? [".Nm \(Roff.argument(typed))", ".Fl \\-version"] : []
      return start + [".Ar command", ".Op Ar argument ..."] + version
    }
    let options = command.allOptions.map {
      ".Op \(Self.long($0))" + ($0.repeats && $0.placeholder != nil ? " ..." : "")
    }
    return start + options
      + command.arguments.map { argument in
        let name = "Ar \(Roff.argument(argument.name))"
        return switch argument.arity {
        case .required: ".\(name)"
        case .optional: ".Op \(name)"
        case .several: ".\(name) ..."
        case .any: ".Op \(name) ..."
        }
      }
  }

  private static func long(_ option: any OptionDeclaration) -> String {
    let value = option.placeholder.map { " Ar \(Roff.argument($0))" } ?? ""
    return "Fl \(Roff.argument(String(option.name.dropFirst())))" + value
  }

  private var description: [String] {
    var lines = [".Sh DESCRIPTION"] + Roff.paragraph(command.summary + ".")
    for text in command.details { lines += [".Pp"] + Roff.paragraph(text) }
    for group in command.subcommands {
      lines.append(".Ss \(Roff.running(group.title))")
      lines += list(group.commands.map { (".It \(reference(path + [$0.name]))", $0.summary) })
    }
    let arguments = command.arguments.map { (".It Ar \(Roff.argument($0.name))", $0.help) }
    return lines
      + (arguments.isEmpty ? [] : [".Pp", "The arguments are as follows:"] + list(arguments))
  }

  private var options: [String] {
    let all: [any OptionDeclaration] =
      switch (command.children.isEmpty, path.isEmpty) {
      case (true, _): command.allOptions
      case (false, true): [CommonOptions.version, CommonOptions.help]
      case (false, false): [CommonOptions.help]
      }
    return [".Sh OPTIONS"]
      + list(
        all.map { option in
          let short = option.short.map { "Fl \(Roff.argument(String($0.dropFirst()))) , " } ?? ""
          return (".It \(short)\(Self.long(option))", option.explanation)
        })
  }

  // MARK: What is the same for many commands

  private var environment: [String] {
    [".Sh ENVIRONMENT"]
      + list(
        ManualFacts.environment(of: command).map { fact in
          (".It " + fact.names.map { "Ev \($0)" }.joined(separator: " , "), fact.text)
        })
  }

  private var files: [String] {
    [".Sh FILES"]
      + list(
        ManualFacts.files(of: command).map { fact in
          (
            ".It " + fact.names.map { "Pa \(Roff.argument($0))" }.joined(separator: " , "),
            fact.text
          )
        })
  }

  private var exitStatus: [String] {
    [".Sh EXIT STATUS"]
      + list(ExitCode.allCases.map { (".It \($0.rawValue)", $0.meaning) })
  }

  private var examples: [String] {
    guard !command.examples.isEmpty else { return [] }
    return [".Sh EXAMPLES"]
      + command.examples.enumerated().flatMap { index, example in
        (index == 0 ? [] : [".Pp"]) + Roff.paragraph(example.note + ":")
          + [".Bd -literal -offset indent", Roff.literal(example.line), ".Ed"]
      }
  }

  private var diagnostics: [String] {
    guard command.allOptions.contains(where: { $0.name == CommonOptions.json.name }) else {
      return []
    }
    return [".Sh DIAGNOSTICS"] + Roff.paragraph(ManualFacts.jsonErrors)
      + [".Bd -literal -offset indent", Roff.literal(ManualFacts.jsonError), ".Ed"]
  }

  private var seeAlso: [String] {
    var paths = path.indices.map { Array(path[..<$0]) }
    let parent = path.dropLast()
    paths += neighbours.map { parent + [$0.name] }.filter { $0 != path }
    paths += command.children.map { path + [$0.name] }
    guard !paths.isEmpty else { return [] }
    let names = paths.map(Self.name).sorted()
    return [".Sh SEE ALSO"]
      + names.enumerated().map { ".Xr \($1) 1" + ($0 + 1 < names.count ? " ," : "") }
  }

  private func reference(_ path: [String]) -> String { "Xr \(Self.name(path)) 1" }

  private func list(_ items: [(head: String, text: String)]) -> [String] {
    [".Bl -tag -width Ds"]
      + items.flatMap {
        [$0.head] + Roff.paragraph($0.text.hasSuffix(".") ? $0.text : $0.text + ".")
      }
      + [".El"]
  }
}
