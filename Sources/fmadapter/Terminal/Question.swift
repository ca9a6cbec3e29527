/// What a person answers with yes or no.
///
/// Only what is typed behind the question counts: nothing that was typed or pasted before, and nothing that is pasted.
struct Question {
  enum Reply { case yes, no, stopped }

  let text: String
  let terminal: Terminal

  /// Asks until Enter is pressed, and ends the line; Ctrl-D is no.
  func ask(isStopped: () -> Bool = { false }) -> Reply {
    let input = terminal.streams.input
    let wasRaw = TerminalControl.isRaw
    guard wasRaw || terminal.holdKeys() else { return .no }
    defer {
      if !wasRaw { TerminalControl.leaveRawMode() }
      terminal.endTypedLine()
    }
    TerminalControl.dropTyped(input)
    terminal.ask(text)
    var typed = ""
    var resumptions = TerminalControl.resumptions
    while !isStopped() {
      if resumptions != TerminalControl.resumptions {
        resumptions = TerminalControl.resumptions
        again(&typed)
      }
      guard TerminalControl.isReady(input, milliseconds: 50) else { continue }
      switch Key.read(from: terminal) {
      // Lines that come at once were not typed.
      case .enter where TerminalControl.isReady(input, milliseconds: 20), .paste: again(&typed)
      case .enter: return ["y", "yes"].contains(typed.trimmed.lowercased()) ? .yes : .no
      case .scalar(let scalar):
        typed.unicodeScalars.append(scalar)
        terminal.echo(String(scalar))
      case .backspace where !typed.isEmpty:
        typed.unicodeScalars.removeLast()
        terminal.eraseTyped()
      case .endOfInput: return .no
      case .interrupt, nil: return .stopped
      default: break
      }
    }
    return .stopped
  }

  private func again(_ typed: inout String) {
    TerminalControl.dropTyped(terminal.streams.input)
    typed = ""
    terminal.endTypedLine()
    terminal.ask(text)
  }
}

extension Terminal {
  /// Keeps keys unprinted until the program asks for them; false where there is no terminal.
  func holdKeys() -> Bool {
    guard inputIsTerminal, errorIsTerminal else { return false }
    return TerminalControl.enterRawMode(
      streams.input, screen: movesCursor ? streams.error : nil, .held)
  }
}
