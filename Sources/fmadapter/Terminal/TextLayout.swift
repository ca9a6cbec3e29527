/// Lines of text that fit a terminal.
enum TextLayout {
  /// Breaks `text` at spaces into lines of at most `columns` cells; a longer word stands alone.
  static func wrap(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var (line, width) = ("", 0)
    for word in text.split(separator: " ") {
      let cells = word.cellWidth
      if !line.isEmpty, width + 1 + cells > columns {
        lines.append(line)
        (line, width) = ("", 0)
      }
      (line, width) = line.isEmpty ? (String(word), cells) : (line + " " + word, width + 1 + cells)
    }
    return lines + (line.isEmpty ? [] : [line])
  }

  /// `text` filled with spaces to `columns` cells.
  static func pad(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - text.cellWidth))
  }

  /// `text`, cut to `columns` cells with a mark where something is missing.
  static func cut(_ text: String, _ columns: Int) -> String {
    guard text.cellWidth > columns else { return text }
    var (kept, width) = ("", 0)
    for character in text where width + character.cellWidth < columns {
      kept.append(character)
      width += character.cellWidth
    }
    return kept + "…"
  }
}

extension StringProtocol {
  /// Cells that the text takes on a terminal.
  var cellWidth: Int { reduce(0) { $0 + $1.cellWidth } }
}

extension Character {
  /// 0, 1 or 2: cells that the character takes on a terminal, by Unicode's East Asian Width.
  var cellWidth: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    if scalar.value < 0x300 { return scalar.value < 32 ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]
}
