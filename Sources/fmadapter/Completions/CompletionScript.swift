/// What the completion scripts of all shells are made from: each command at its place.
struct CompletionScript {
  /// A command and the names that lead to it, such as `/base/convert`; the program's place is empty.
  struct Entry {
    let place: String
    let command: Command

    /// Words that can follow: subcommands, or options.
    var children: [Command] { command.children }
    var options: [any OptionDeclaration] { children.isEmpty ? command.allOptions : [] }
    /// What the arguments can be; the first one that a shell can help with decides.
    var completion: Completion {
      command.arguments.map(\.completion).first { $0 != .none } ?? .none
    }
  }

  let entries: [Entry]

  init(root: Command) {
    entries = Self.entries(below: root, at: "")
  }

  /// A line of shell that prints the names of what is installed, and their long forms too where `test` holds: where
  /// the word that is completed may be the start of one.
  static func adapterNames(ifLong test: String) -> String {
    let names = "fmadapter list --names 2>/dev/null"
    return "\(names) | sed 's/^fmadapter-\\(.*\\)-[0-9a-f]*$/\\1/' | sort -u; \(test) && \(names)"
  }

  static func baseNames(ifLong test: String) -> String {
    "fmadapter base list --json 2>/dev/null | sed -n 's/^ *\"name\" : \"\\(.*\\)\",*$/\\1/p'; "
      + "\(test) && fmadapter base list --names 2>/dev/null"
  }

  static let catalogPlaces =
    "fmadapter catalog list --json 2>/dev/null | sed -n 's/^ *\"place\" : \"\\(.*\\)\",*$/\\1/p'"

  /// Branches of bash and zsh for the values of options; `lines` makes the words of one.
  func values(_ lines: (Completion) -> String) -> String {
    entries.flatMap { entry in
      entry.options.filter { $0.placeholder != nil }.map { option in
        let names = [option.name, option.short].compactMap(\.self)
        let patterns = names.map { "\(entry.place):\($0)" }.joined(separator: "|")
        return "    \(patterns)) \(lines(option.completion)) return ;;"
      }
    }.joined(separator: "\n")
  }

  private static func entries(below command: Command, at place: String) -> [Entry] {
    [Entry(place: place, command: command)]
      + command.children.flatMap { entries(below: $0, at: place + "/" + $0.name) }
  }
}
