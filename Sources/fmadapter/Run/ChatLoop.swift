import LanguageModels
import TensorFiles

/// Lines from a person, answers from a model, until the person leaves.
struct ChatLoop {
  let terminal: Terminal
  /// Forgets the conversation.
  let reset: () -> Void
  /// Answers one message; an error ends only that answer.
  let answer: (String) throws -> Void

  static let help: [Line] = [
    "Type a message and press Enter. Ctrl-C stops an answer; Ctrl-D or /exit leaves.",
    "  /reset   forget the conversation", "  /help    show this", "  /exit    leave",
    "  //text   send a message that starts with a slash",
  ]

  func run() throws {
    var editor = LineEditor(terminal, prompt: "> ")
    if terminal.inputIsTerminal {
      terminal.note("Ctrl-C stops an answer; /help lists what else there is.")
    }
    while true {
      switch editor.readLine() {
      case .end: return
      case .interrupted: terminal.note("Ctrl-D or /exit leaves.")
      case .text(let line):
        if try !handle(line) { return }
      }
    }
  }

  /// Obeys or answers one line; false when the person wants to leave.
  private func handle(_ line: String) throws -> Bool {
    let text = String(line.drop(while: \.isWhitespace))
    switch text.split(separator: " ").first {
    case nil: break
    case "/exit", "/quit": return false
    case "/help": Self.help.forEach(terminal.note)
    case "/reset":
      reset()
      terminal.note("The conversation is forgotten.")
    case let word? where word.hasPrefix("//"): try send(String(text.dropFirst()))
    case let word? where word.hasPrefix("/"):
      terminal.note("There is no \(word); /help lists what there is.")
    default: try send(text)
    }
    return true
  }

  /// What went wrong, with what helps in a chat.
  private static func failure(_ error: any Error) -> Failure {
    if case LanguageModelError.contextExceeded(let limit, let needed) = error {
      return Failure(
        .usage,
        "the message needs \(Figures.count(needed, "token")) of a context of "
          + "\(Figures.grouped(limit))\(remedy: "shorten it, or start anew with /reset")")
    }
    var failure = Failure(error)
    failure.details.append("/reset forgets the conversation, /exit leaves.")
    return failure
  }

  private func send(_ message: String) throws {
    do {
      try answer(message)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      // Someone who talks can go on; a script has to know.
      let failure = Self.failure(error)
      guard terminal.inputIsTerminal else { throw failure }
      terminal.error(failure)
    }
  }
}
