import SystemFiles

/// What a person answers on the line of the question.
///
/// Only what is typed behind it counts: nothing that was typed or pasted before, and nothing that is pasted unless that is
/// asked for.
struct Question {
  let text: String
  let terminal: Terminal
  /// A secret is often pasted, and not shown.
  var isSecret = false

  /// Whether the answer is yes; Ctrl-D is no.
  ///
  /// - Throws: `CancellationError` once `isStopped` is true.
  func isAgreed(isStopped: () -> Bool = { Task.isCancelled }) throws -> Bool {
    let reply = try answer(isStopped: isStopped) ?? ""
    return ["y", "yes"].contains(reply.trimmed.lowercased())
  }

  /// What is typed until Enter is pressed; nil for Ctrl-D.
  ///
  /// - Throws: `CancellationError` once `isStopped` is true.
  func answer(isStopped: () -> Bool = { Task.isCancelled }) throws -> String? {
    let hadKeys = TerminalControl.hasKeys
    guard terminal.takeKeys(.held, isSecret: isSecret) else { return nil }
    defer {
      if !hadKeys { TerminalControl.giveKeysBack() }
      terminal.endTypedLine()
    }
    var typed = ask(isStopped)
    while let key = Key.read(from: terminal, isStopped: isStopped) {
      switch key {
      // Lines that come at once were not typed.
      case .enter where TerminalControl.isReady(terminal.streams.input, milliseconds: 20):
        typed = askAgain(isStopped)
      case .enter: return typed
      case .paste(let text) where isSecret: typed += text
      case .paste, .cameBack: typed = askAgain(isStopped)
      case .scalar(let scalar):
        typed.unicodeScalars.append(scalar)
        if !isSecret { terminal.echo(String(scalar)) }
      case .backspace:
        let last = typed.unicodeScalars.popLast().map { String($0).printable.cellWidth } ?? 0
        if !isSecret { terminal.erase(cells: last) }
      case .deleteToStart, .deleteWord:
        if !isSecret { terminal.erase(cells: typed.printable.cellWidth) }
        typed = ""
      case .endOfInput: return nil
      default: break
      }
    }
    if isStopped() { throw CancellationError() }
    return nil
  }

  /// Asks, with nothing typed yet.
  private func ask(_ isStopped: () -> Bool) -> String {
    Key.drop(from: terminal, isStopped: isStopped)
    terminal.ask(text)
    return ""
  }

  private func askAgain(_ isStopped: () -> Bool) -> String {
    terminal.endTypedLine()
    return ask(isStopped)
  }
}

extension Terminal {
  /// Has keys come one by one and unprinted until they are given back; false where there is no terminal.
  ///
  /// A secret is not printed where what asks for it goes to a file, either.
  func takeKeys(_ mode: TerminalControl.KeyMode, isSecret: Bool = false) -> Bool {
    guard inputIsTerminal, errorIsTerminal || isSecret else { return false }
    return TerminalControl.takeKeys(
      streams.input, screen: movesCursor && errorIsTerminal ? streams.error : nil, mode)
  }
}
