import SystemFiles

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
  /// What was deleted last in a larger piece.
  private var deleted = ""
  /// What an earlier line is looked for by; nil while none is.
  private var search: String?

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
    (buffer, place, draft, search) = (LineBuffer(), history.lines.count, "", nil)
    draw()
    while let key = Key.read(from: terminal) {
      if !find(key), let line = handle(key) { return line }
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
      drawWhole()
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
    case .deleteToEnd: keep(buffer.deleteToEnd())
    case .deleteToStart: keep(buffer.deleteToStart())
    case .deleteWord: keep(buffer.deleteWord())
    case .deleteNextWord: keep(buffer.deleteNextWord())
    case .putBack: buffer.insert(deleted)
    default: break
    }
  }

  private mutating func keep(_ text: String) {
    if !text.isEmpty { deleted = text }
  }

  /// Looks for an earlier line, as Ctrl-R asks; false for a key that has to do with the line itself.
  private mutating func find(_ key: Key) -> Bool {
    guard var text = search else {
      if key == .search { search = "" }
      return key == .search
    }
    switch key {
    case .scalar(let scalar): text.unicodeScalars.append(scalar)
    case .backspace: _ = text.popLast()
    case .search: break
    case .cancel, .interrupt:
      search = nil
      recall(history.lines.count)
      return true
    default:
      search = nil
      draw()
      return false
    }
    search = text
    // The line that is shown is looked at again, unless an earlier one is asked for.
    let end = min(key == .search ? place : place + 1, history.lines.count)
    if !text.isEmpty, let found = history.lines[..<end].lastIndex(where: { $0.contains(text) }) {
      recall(found)
    }
    return true
  }

  /// Shows an earlier line; what was being typed comes back after the last one.
  private mutating func recall(_ target: Int) {
    guard (0...history.lines.count).contains(target) else { return }
    if place == history.lines.count { draft = buffer.text }
    place = target
    buffer = LineBuffer(target == history.lines.count ? draft : history.lines[target])
  }

  private func draw() {
    let shown = search.map { String($0.suffix(20)).typed(unicode: terminal.showsUnicode) }
    let prompt = shown.map { "(search: \($0)) " } ?? prompt
    let window = window(behind: prompt)
    terminal.draw(prompt: prompt, window.text, cursor: window.cursor)
  }

  private func window(behind prompt: String) -> (text: String, cursor: Int) {
    buffer.window(
      columns: terminal.progressColumns - prompt.cellWidth, unicode: terminal.showsUnicode)
  }

  /// Leaves all of the line on the screen, where only a part of it was.
  private func drawWhole() {
    let text = buffer.text
    guard text.contains("\n") || window(behind: prompt).text != text else { return }
    terminal.draw(prompt: prompt, whole: text)
  }
}
