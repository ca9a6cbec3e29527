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
  /// Whether there was a line before, and an answer in which keys were pressed.
  private var isLater = false

  init(_ terminal: Terminal, prompt: String) {
    self.terminal = terminal
    self.prompt = prompt
    history = LineHistory(environment: terminal.environment)
  }

  mutating func readLine() -> Line {
    guard terminal.inputIsTerminal, terminal.errorIsTerminal, terminal.movesCursor,
      TerminalControl.enterRawMode(terminal.streams.input, screen: terminal.streams.error)
    else { return plainLine() }
    defer {
      TerminalControl.leaveRawMode()
      terminal.endTypedLine()
      isLater = true
    }
    (buffer, place, draft) = (LineBuffer(), history.lines.count, "")
    if isLater, let line = takeTypedAhead() { return line }
    draw()
    while let key = Key.read(from: terminal) {
      if let line = handle(key) { return line }
      draw()
    }
    return .end
  }

  /// Takes what was typed before there was a prompt; Enter has to be pressed again when it is seen.
  private mutating func takeTypedAhead() -> Line? {
    while TerminalControl.isReady(terminal.streams.input, milliseconds: 0),
      let key = Key.read(from: terminal)
    {
      if key == .enter {
        buffer.insert("\n")
      } else if let line = handle(key) {
        return line
      }
    }
    while buffer.cursor == buffer.characters.count, buffer.characters.last == "\n" {
      buffer.deleteBackward()
    }
    return nil
  }

  private func plainLine() -> Line {
    guard terminal.inputIsTerminal else {
      return InputText.line(terminal).map { .text($0) } ?? .end
    }
    terminal.ask(prompt.trimmed)
    let stopped = StopFlag()
    let line = Interruption.shared.handling(stopped.raise) {
      InputText.line(terminal) { stopped.isRaised }
    }
    if let line { return .text(line) }
    terminal.endTypedLine()
    return stopped.isRaised ? .interrupted : .end
  }

  private func suspend() {
    TerminalControl.leaveRawMode()
    terminal.endTypedLine()
    let (input, screen) = (terminal.streams.input, terminal.streams.error)
    TerminalControl.suspend(input)
    _ = TerminalControl.enterRawMode(input, screen: screen)
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
    case .suspend: suspend()
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
