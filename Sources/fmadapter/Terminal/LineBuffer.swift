/// A line being edited: characters as a person sees them, and the cursor between them.
struct LineBuffer: Equatable {
  private(set) var characters: [Character] = []
  /// Number of characters before the cursor.
  private(set) var cursor = 0

  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }

  /// Puts a scalar at the cursor; a combining one joins the character before it.
  mutating func insert(_ scalar: Unicode.Scalar) {
    if cursor > 0 {
      let joined = String(characters[cursor - 1]) + String(scalar)
      if joined.count == 1, let character = joined.first {
        characters[cursor - 1] = character
        return
      }
    }
    characters.insert(Character(scalar), at: cursor)
    cursor += 1
  }

  /// Puts a text of any length at the cursor.
  mutating func insert(_ text: String) {
    let added = Array(text)
    characters.insert(contentsOf: added, at: cursor)
    cursor += added.count
  }

  mutating func moveLeft() { cursor = max(0, cursor - 1) }
  mutating func moveRight() { cursor = min(characters.count, cursor + 1) }
  mutating func moveToStart() { cursor = 0 }
  mutating func moveToEnd() { cursor = characters.count }
  mutating func moveWordLeft() { cursor = wordStart }

  mutating func moveWordRight() { cursor = wordEnd }

  mutating func deleteBackward() {
    guard cursor > 0 else { return }
    cursor -= 1
    characters.remove(at: cursor)
  }

  mutating func deleteForward() {
    if cursor < characters.count { characters.remove(at: cursor) }
  }

  // What is deleted in larger pieces is returned.

  @discardableResult
  mutating func deleteToEnd() -> String { delete(cursor..<characters.count) }
  @discardableResult
  mutating func deleteToStart() -> String { delete(0..<cursor) }
  @discardableResult
  mutating func deleteWord() -> String { delete(wordStart..<cursor) }
  @discardableResult
  mutating func deleteNextWord() -> String { delete(cursor..<wordEnd) }

  private mutating func delete(_ range: Range<Int>) -> String {
    let text = String(characters[range])
    characters.removeSubrange(range)
    cursor = range.lowerBound
    return text
  }

  private var wordStart: Int {
    var place = cursor
    while place > 0, characters[place - 1].isWhitespace { place -= 1 }
    while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
    return place
  }

  private var wordEnd: Int {
    var place = cursor
    while place < characters.count, characters[place].isWhitespace { place += 1 }
    while place < characters.count, !characters[place].isWhitespace { place += 1 }
    return place
  }

  /// The part around the cursor that fits `columns` cells, and the cell of the cursor in it; the text is shown as
  /// ``Swift/String/typed(unicode:)`` has it.
  func window(columns: Int, unicode: Bool = false) -> (text: String, cursor: Int) {
    func shownWidth(_ place: Int) -> Int {
      String(characters[place]).typed(unicode: unicode).cellWidth
    }
    var (start, width) = (cursor, 0)
    while start > 0, width + shownWidth(start - 1) < columns {
      start -= 1
      width += shownWidth(start)
    }
    let before = width
    var end = cursor
    while end < characters.count, width + shownWidth(end) < columns {
      width += shownWidth(end)
      end += 1
    }
    return (String(characters[start..<end]), before)
  }
}
