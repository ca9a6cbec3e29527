import SystemFiles

/// What a command line asks for.
enum Request {
  case run(Command, path: [String], ParsedArguments)
  case help(Command, path: [String])
  case version
}

/// Sorts the words of a command line to the declarations of the command that they name.
struct ArgumentParser {
  let root: Command

  func parse(_ words: [String]) throws(UsageError) -> Request {
    // `help run` is `run --help`.
    if words.first == "help" {
      let names = words.filter { $0 != "help" && !$0.hasPrefix("-") }
      return .help(try command(at: names), path: names)
    }
    var (command, path, words) = (root, [String](), words[...])
    while !command.children.isEmpty {
      switch try next(of: command, path, &words) {
      case .command(let child):
        command = child
        path.append(child.name)
      case .help: return .help(command, path: path)
      case .version: return .version
      }
    }
    // Asking for help always works, however wrong the rest of the line is.
    let asked = words.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    if asked { return .help(command, path: path) }
    var reader = WordReader(command: command, name: path.joined(separator: " "), words: words)
    return .run(command, path: path, try reader.read())
  }

  /// The command that `names` lead to.
  ///
  /// - Throws: `UsageError` for names that are no command, with the one that was probably meant.
  func command(at names: [String]) throws(UsageError) -> Command {
    var (command, path) = (root, [String]())
    for name in names {
      guard let child = command.children.first(where: { $0.name == name }) else {
        throw unknown(name, in: command, path)
      }
      (command, path) = (child, path + [name])
    }
    return command
  }

  private func unknown(_ word: String, in command: Command, _ path: [String]) -> UsageError {
    UsageError(
      command: path.joined(separator: " "),
      problem: .unknownCommand(
        (path + [word]).joined(separator: " "), suggestion: suggestion(for: word, in: command, path)
      ))
  }

  private enum Step {
    case command(Command)
    case help
    case version
  }

  private func next(
    of command: Command, _ path: [String], _ words: inout ArraySlice<String>
  ) throws(UsageError) -> Step {
    let name = path.joined(separator: " ")
    guard let word = words.popFirst() else {
      throw UsageError(command: name, problem: .missingCommand)
    }
    if word == "--help" || word == "-h" { return .help }
    if word == "--version", path.isEmpty { return .version }
    if word.hasPrefix("-") {
      let known = ["--help"] + (path.isEmpty ? ["--version"] : [])
      let isVersion = path.isEmpty && word.lowercased() == "-v"
      let near = isVersion ? "--version" : Suggestion.nearest(to: word, among: known)
      throw UsageError(command: name, problem: .unknownOption(word, suggestion: near))
    }
    if let child = command.children.first(where: { $0.name == word }) { return .command(child) }
    throw unknown(word, in: command, path)
  }

  /// A command of this level, of another level (`convert` means `base convert`), or another tool's name for one.
  private func suggestion(for word: String, in command: Command, _ path: [String]) -> String? {
    // A text is a prompt.
    if path.isEmpty, word.contains(where: \.isWhitespace) {
      return root.children.first { $0.knownElsewhereAs.contains("prompt") }?.name
    }
    let joined = (path + [word]).joined(separator: "-")
    if root.children.contains(where: { $0.name == joined }) { return joined }
    let help: Name = ("help", "help " + path.joined(separator: " "), true)
    let near: [[Name]] = [
      names(of: command, at: path),
      command.children.flatMap { names(of: $0, at: path + [$0.name]) },
      path.isEmpty ? [("version", "--version", true)] : [help],
      path.isEmpty ? [] : names(of: root, at: []),
    ]
    let found = Set(Suggestion.allNearest(to: word, among: near.joined().map(\.typed)))
    // Commands of several groups may be called so; a command's own name goes before that of another tool.
    let all = near.lazy.map { $0.filter { found.contains($0.typed) } }.first { !$0.isEmpty } ?? []
    let own = all.filter(\.isOwn)
    let meant = (own.isEmpty ? all : own).map(\.meant)
    return meant.isEmpty ? nil : meant.joined(separator: "' or '")
  }

  private typealias Name = (typed: String, meant: String, isOwn: Bool)

  /// What the children of `command` are called, here and by other tools, and the words that lead to them.
  private func names(of command: Command, at path: [String]) -> [Name] {
    command.children.flatMap { child in
      let words = (path + [child.name]).joined(separator: " ")
      let others = child.knownElsewhereAs.map { (typed: $0, meant: words, isOwn: false) }
      return [(typed: child.name, meant: words, isOwn: true)] + others
    }
  }
}

/// The words of a command line, sorted to the options and arguments that were declared.
struct ParsedArguments: Sendable, Equatable {
  /// Texts by option name; a flag has one empty text per use.
  private(set) var options: [String: [String]] = [:]
  private(set) var arguments: [String: [String]] = [:]

  mutating func add(option name: String, _ text: String) {
    options[name, default: []].append(text)
  }

  mutating func add(argument name: String, _ text: String) {
    arguments[name, default: []].append(text)
  }

  /// Whether the option was given.
  func has(_ option: any OptionDeclaration) -> Bool { options[option.name] != nil }

  /// The value of an option, or nil when it was not given.
  func value<Value>(_ option: Option<Value>) -> Value? { values(option).last }

  /// All values of an option, in the order in which they were given.
  func values<Value>(_ option: Option<Value>) -> [Value] {
    (options[option.name] ?? []).compactMap(option.type.read)
  }

  /// The text of an optional argument.
  func text(_ argument: Argument) -> String? { arguments[argument.name]?.first }

  /// All texts of an argument that may be given several times.
  func texts(_ argument: Argument) -> [String] { arguments[argument.name] ?? [] }

  /// The text of a required argument; the parser has made sure that there is one.
  func required(_ argument: Argument) -> String {
    precondition(argument.arity != .optional, "\(argument.name) may be absent")
    return text(argument) ?? ""
  }
}
