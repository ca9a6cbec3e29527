import ChatTemplates
import SystemFiles

/// A word with a slash that a chat obeys.
struct ChatCommand {
  let name: String
  /// What stands behind the name.
  var operands = ""
  let help: String
  /// Obeys; `rest` is what stands behind the name, without white space at its ends.
  let obey: (_ rest: String) async throws -> Void
}

/// Lines from a person, answers from a model, until the person leaves.
struct ChatLoop {
  let terminal: Terminal
  /// All but those that every chat has.
  let commands: [ChatCommand]
  /// Answers one message; an error ends only that answer.
  let answer: (String) async throws -> Void

  private var help: [Line] {
    let rows =
      commands.map { ($0.name + ($0.operands.isEmpty ? "" : " " + $0.operands), $0.help) } + [
        ("/help", "show this"), ("/exit", "leave"),
        ("//text", "send a message that starts with a slash"),
      ]
    var list = FactList()
    for (name, text) in rows { list.add("  " + name, text) }
    let first: Line =
      "Type a message and press Enter. Ctrl-C stops an answer; Ctrl-D or /exit leaves."
    let second: Line =
      "What is pasted is one message. Alt-Enter begins a new line; Ctrl-R finds an earlier one."
    return [first, second] + list.lines(columns: terminal.replyColumns)
  }

  func run() async throws {
    guard terminal.inputIsTerminal else { return try await obeyPipe() }
    // What is typed in an answer waits for the prompt.
    if terminal.movesCursor { _ = terminal.takeKeys(.held) }
    defer { TerminalControl.giveKeysBack() }
    terminal.note("Ctrl-C stops an answer; /help lists what else there is.")
    // Ctrl-C that is meant for an answer may come a moment after its end.
    try await Interruption.shared.handling({}) { try await talk() }
  }

  private func talk() async throws {
    var editor = LineEditor(terminal, prompt: "> ")
    while true {
      switch editor.readLine() {
      case .end: return
      case .interrupted: terminal.note("Ctrl-D or /exit leaves.")
      case .text(let line):
        if try await !handle(line) { return }
      }
    }
  }

  /// Each line of a pipe or a file is a message, or a word with a slash.
  private func obeyPipe() async throws {
    var number = 1
    while let line = try InputText.checkedLine(terminal, number: number) {
      if try await !handle(line) { return }
      number += 1
    }
  }

  /// Obeys or answers one line; false when the person wants to leave.
  private func handle(_ line: String) async throws -> Bool {
    let text = line.trimmed
    guard text.hasPrefix("/") else {
      if !text.isEmpty { try await going { try await answer(text) } }
      return true
    }
    let word = String(text.prefix { !$0.isWhitespace })
    let rest = String(text.dropFirst(word.count)).trimmed
    switch word {
    case "/exit", "/quit": return false
    case "/help": help.forEach(terminal.reply)
    case _ where word.hasPrefix("//"):
      try await going { try await answer(String(text.dropFirst())) }
    default:
      if let command = commands.first(where: { $0.name == word }) {
        try await obey(command, rest)
      } else if text.contains("\n") {
        // Pasted, as a listing that begins with a path.
        try await going { try await answer(text) }
      } else {
        try refuse(word)
      }
    }
    return true
  }

  /// Says that there is no such word; a script would not see that a message of its was none.
  private func refuse(_ word: String) throws {
    let question = meant(by: word).map { "did you mean \($0)? " } ?? ""
    guard terminal.inputIsTerminal else {
      throw Failure(
        .usage, "there is no \(word) in a chat\(remedy: "\(question)/\(word) is a message")")
    }
    terminal.reply(
      "There is no \(word); \(question)/help lists what there is, and /\(word) is a message.")
  }

  /// What other chats call a word, or one that was typed wrongly.
  private func meant(by word: String) -> String? {
    let elsewhere = [
      "/bye": "/exit", "/q": "/exit", "/clear": "/reset", "/new": "/reset", "/?": "/help",
      "/regen": "/retry", "/system": "/set instructions", "/show": "/set", "/model": "/adapter",
    ]
    let names = commands.map(\.name) + ["/help", "/exit"]
    let known = elsewhere[word].flatMap { known in
      names.first(where: known.hasPrefix) == nil ? nil : known
    }
    return known ?? Suggestion.nearest(to: word, among: names)
  }

  private func obey(_ command: ChatCommand, _ rest: String) async throws {
    do {
      try await Interruption.shared.handling(nil) { try await command.obey(rest) }
    } catch {
      try tell(error)
    }
  }

  private func going(_ body: () async throws -> Void) async throws {
    do { try await body() } catch { try tell(error) }
  }

  /// Someone who talks can go on; a script has to know.
  private func tell(_ error: any Error) throws {
    if error is CancellationError { throw error }
    let failure = Self.failure(error)
    guard terminal.inputIsTerminal else { throw failure }
    terminal.error(failure)
  }

  /// What went wrong, with what helps in a chat.
  private static func failure(_ error: any Error) -> Failure {
    var failure = Failure(error)
    // The template has no place for what was said before.
    if error is ChatDefect { failure.details.append("/reset forgets the conversation.") }
    return failure
  }
}
