/// A key press, as a terminal sends it.
enum Key: Equatable {
  case scalar(Unicode.Scalar)
  /// Text that was pasted, without the ends of lines at its end.
  case paste(String)
  case enter, newLine, backspace, delete, left, right, home, end, up, down, wordLeft, wordRight
  case deleteToEnd, deleteToStart, deleteWord, deleteNextWord, putBack, clear
  /// Ctrl-R looks for an earlier line, and Ctrl-G ends that.
  case search, cancel
  case interrupt, endOfInput
  /// None: the terminal was another job's meanwhile.
  case cameBack
  case unknown

  /// Reads one key; `next` gives the next byte, waiting for it if asked to, or nil when there is none.
  ///
  /// Sequences: ECMA-48, with the forms that xterm and the Linux console send. Nil at the end of the input.
  static func read(_ next: (_ waiting: Bool) -> UInt8?) -> Key? {
    guard let byte = next(true) else { return nil }
    switch byte {
    case 0x1B: return escape(next)
    case 0x0D, 0x0A: return .enter
    case 0x20..<0x7F: return .scalar(Unicode.Scalar(byte))
    case 0x80...: return multibyte(byte, next)
    default: return control[byte] ?? .unknown
    }
  }

  private static let control: [UInt8: Key] = [
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .endOfInput, 0x05: .end, 0x06: .right,
    0x07: .cancel, 0x08: .backspace, 0x0B: .deleteToEnd, 0x0C: .clear, 0x0E: .down, 0x10: .up,
    0x12: .search, 0x15: .deleteToStart, 0x17: .deleteWord, 0x19: .putBack, 0x7F: .backspace,
  ]

  private static let sequences: [String: Key] = [
    "[A": .up, "[B": .down, "[C": .right, "[D": .left, "[H": .home, "[F": .end,
    "OA": .up, "OB": .down, "OC": .right, "OD": .left, "OH": .home, "OF": .end,
    "[1~": .home, "[7~": .home, "[4~": .end, "[8~": .end, "[3~": .delete,
    "[1;5C": .wordRight, "[1;5D": .wordLeft, "[1;3C": .wordRight, "[1;3D": .wordLeft,
    "f": .wordRight, "b": .wordLeft, "d": .deleteNextWord, "\u{7F}": .deleteWord,
    "\u{8}": .deleteWord, "\r": .newLine,
  ]

  /// A sequence is one key, with Alt, or begins with `[` or `O` and ends with a letter or `~`; it is read whole even when
  /// unknown, so that no part of it is taken for text.
  private static func escape(_ next: (Bool) -> UInt8?) -> Key {
    var text = ""
    while let byte = next(false), text.count < 16 {
      // Alt and a key that is a sequence itself, or a character.
      if text.isEmpty, byte == 0x1B { continue }
      if text.isEmpty, byte >= 0x80 {
        _ = multibyte(byte, next)
        return .unknown
      }
      text.unicodeScalars.append(Unicode.Scalar(byte))
      // The Linux console's function keys have two brackets.
      if ["[", "O", "[["].contains(text) { continue }
      let isSequence = text.hasPrefix("[") || text.hasPrefix("O")
      if !isSequence || byte == 0x7E || (0x40..<0x7F).contains(byte) { break }
    }
    if text == "[200~" { return .paste(pasted(next)) }
    return sequences[text] ?? .unknown
  }

  /// What comes up to the end of what is pasted; xterm's bracketed paste.
  private static func pasted(_ next: (Bool) -> UInt8?) -> String {
    let end = Array("\u{1B}[201~".utf8)
    var bytes: [UInt8] = []
    while let byte = next(true) {
      bytes.append(byte)
      if byte == 0x7E, bytes.suffix(end.count) == end[...] {
        bytes.removeLast(end.count)
        break
      }
    }
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    var scalars = text.unicodeScalars
    scalars.removeAll { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" }
    while scalars.last == "\n" { scalars.removeLast() }
    return String(scalars)
  }

  private static func multibyte(_ first: UInt8, _ next: (Bool) -> UInt8?) -> Key {
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    var bytes = [first]
    while bytes.count < length, let byte = next(false) { bytes.append(byte) }
    let decoded = String(decoding: bytes, as: UTF8.self).unicodeScalars
    guard let scalar = decoded.first, decoded.count == 1, scalar != "\u{FFFD}" else {
      return .unknown
    }
    return .scalar(scalar)
  }
}

extension Key {
  /// The next key of a terminal whose keys the program has; nil at the end of the input, and once `isStopped` is true.
  static func read(from terminal: Terminal, isStopped: () -> Bool = { false }) -> Key? {
    let input = terminal.streams.input
    while !isStopped() {
      switch TerminalControl.waitForKey(milliseconds: 100) {
      case .nothing: continue
      case .cameBack: return .cameBack
      case .ready:
        return read { isWaiting in
          while isWaiting, !TerminalControl.isReady(input, milliseconds: 100) {
            if isStopped() { return nil }
          }
          return TerminalControl.readByte(from: input, within: 50)
        }
      }
    }
    return nil
  }

  /// Reads what was typed before, up to the end of what is being pasted.
  static func drop(from terminal: Terminal, isStopped: () -> Bool) {
    while TerminalControl.isReady(terminal.streams.input, milliseconds: 0) {
      guard read(from: terminal, isStopped: isStopped) != nil else { return }
    }
  }
}
