/// Reads lines from a person: with editing and history on a terminal, plainly from anything else.
///
/// What is pasted on a terminal is one line, whatever ends of lines it has.
struct LineEditor {
  enum Line: Equatable {
    case text(String)
    /// Ctrl-C.
    case interrupted
    /// Ctrl-D at an empty line, or the end of a file.
    case end
  }

  let terminal: Terminal
  let prompt: String
  private var history: LineHistory
  private var place = 0
  private var draft = ""
  private var buffer = LineBuffer()

  init(_ terminal: Terminal, prompt: String) {
    self.terminal = terminal
    self.prompt = prompt
    history = LineHistory(environment: terminal.environment)
  }

  /// The next line; what was typed meanwhile is read first.
  mutating func readLine() -> Line {
    guard terminal.movesCursor, terminal.takeKeys(.editing) else { return plainLine() }
    defer {
      _ = terminal.takeKeys(.held)
      terminal.endTypedLine()
    }
    (buffer, place, draft) = (LineBuffer(), history.lines.count, "")
    draw()
    while let key = Key.read(from: terminal) {
      if let line = handle(key) { return line }
      draw()
    }
    return .end
  }

  private func plainLine() -> Line {
    guard terminal.inputIsTerminal else {
      return InputText.line(terminal).map { .text($0) } ?? .end
    }
    let stopped = StopFlag()
    let line = Interruption.shared.handling(stopped.raise) {
      terminal.ask(prompt.trimmed)
      return InputText.line(terminal) { stopped.isRaised }
    }
    if let line { return .text(line) }
    terminal.endTypedLine()
    return stopped.isRaised ? .interrupted : .end
  }

  private mutating func handle(_ key: Key) -> Line? {
    switch key {
    case .enter:
      history.add(buffer.text)
      return .text(buffer.text)
    case .interrupt: return .interrupted
    case .endOfInput where buffer.characters.isEmpty: return .end
    case .endOfInput, .delete: buffer.deleteForward()
    case .scalar(let scalar): buffer.insert(scalar)
    case .newLine: buffer.insert("\n")
    case .paste(let text): buffer.insert(text)
    case .up: recall(place - 1)
    case .down: recall(place + 1)
    case .clear: terminal.clearScreen()
    default: edit(key)
    }
    return nil
  }

  private mutating func edit(_ key: Key) {
    switch key {
    case .backspace: buffer.deleteBackward()
    case .left: buffer.moveLeft()
    case .right: buffer.moveRight()
    case .home: buffer.moveToStart()
    case .end: buffer.moveToEnd()
    case .wordLeft: buffer.moveWordLeft()
    case .wordRight: buffer.moveWordRight()
    case .deleteToEnd: buffer.deleteToEnd()
    case .deleteToStart: buffer.deleteToStart()
    case .deleteWord: buffer.deleteWord()
    default: break
    }
  }

  /// Shows an earlier line; what was being typed comes back after the last one.
  private mutating func recall(_ target: Int) {
    guard (0...history.lines.count).contains(target) else { return }
    if place == history.lines.count { draft = buffer.text }
    place = target
    buffer = LineBuffer(target == history.lines.count ? draft : history.lines[target])
  }

  private func draw() {
    let window = buffer.window(
      columns: terminal.progressColumns - prompt.cellWidth, unicode: terminal.showsUnicode)
    terminal.draw(prompt: prompt, window.text, cursor: window.cursor)
  }
}
