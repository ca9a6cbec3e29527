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

  /// Lines of shell that print what is installed, by kind.
  static let adapterNames = "fmadapter list --names 2>/dev/null"
  static let baseNames = "fmadapter base list --names 2>/dev/null"

  private static func entries(below command: Command, at place: String) -> [Entry] {
    [Entry(place: place, command: command)]
      + command.children.flatMap { entries(below: $0, at: place + "/" + $0.name) }
  }
}

extension String {
  /// The text as one word of a shell.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
