/// Texts as answers are compared: whatever their case, blanks, kinds of quotes and widths; scalar by scalar.
///
/// The same as `tools/training/rules.py` does in Python.
enum PlainText {
  typealias Scalars = [Unicode.Scalar]

  private static let marks = Set<Unicode.Scalar>(".,;:!?。、｡､،؛؟۔।॥".unicodeScalars)
  private static let outer = marks.union(" \t\n\"'`*_()[]¿¡…·・《》〈〉【】〔〕".unicodeScalars)
  /// What ends sentences without blanks behind it.
  private static let closeEnds = Set<Unicode.Scalar>("。！？｡".unicodeScalars)
  private static let closers = Set<Unicode.Scalar>("」』”’\"')）】》〉".unicodeScalars)

  /// Parts between blanks.
  static func parts(_ text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split(whereSeparator: \.isBlank)
  }

  /// With straight quotes and single blanks.
  static func joined(_ text: String) -> String {
    parts(straight(text)).map { String($0) }.joined(separator: " ")
  }

  /// With straight quotes and single blanks, in folded case; a small i has one dot.
  static func plain(_ text: String) -> Scalars {
    joined(text).unicodeScalars.reduce(into: []) { scalars, scalar in
      scalars += scalar.folded
      if scalars.count > 1, scalars.suffix(2) == ["i", "\u{307}"] { scalars.removeLast() }
    }
  }

  /// The same without marks around it and blanks before marks; marks alone stay as they are.
  static func normal(_ text: String) -> Scalars {
    var scalars: Scalars = []
    for scalar in plain(text) {
      if marks.contains(scalar), scalars.last == " " { scalars.removeLast() }
      scalars.append(scalar)
    }
    let start = scalars.prefix(while: outer.contains).count
    guard start < scalars.count else { return scalars }
    let end = scalars.dropFirst(start).reversed().prefix(while: outer.contains).count
    return Array(scalars[start..<scalars.count - end])
  }

  /// Without blanks around it.
  static func trimmed(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    let start = scalars.prefix(while: \.isBlank).count
    let end = scalars.dropFirst(start).reversed().prefix(while: \.isBlank).count
    return string(scalars[start..<scalars.count - end])
  }

  static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// Whether `phrase` stands in `text`, both plain, as whole words; "sail*" is the start of a word, too.
  ///
  /// In scripts without spaces it may stand anywhere.
  static func occurs(_ phrase: Scalars, in text: Scalars) -> Bool {
    let isStart = phrase.last == "*"
    let phrase = isStart ? phrase.dropLast() : phrase[...]
    guard phrase.count <= text.count else { return false }
    return (0...text.count - phrase.count).contains { place in
      text[place..<place + phrase.count].elementsEqual(phrase) && begins(at: place, in: text)
        && (isStart || ends(at: place + phrase.count, in: text))
    }
  }

  /// Whether words may meet between the two with nothing between them.
  private static func meet(_ left: Unicode.Scalar, _ right: Unicode.Scalar) -> Bool {
    !right.isMark && (left.isUnspaced || right.isUnspaced)
  }

  private static func begins(at place: Int, in text: Scalars) -> Bool {
    guard place > 0 else { return true }
    if text[place - 1].isWord { return place < text.count && meet(text[place - 1], text[place]) }
    return place < 2 || !text[place - 2].isDigit || !".,:".unicodeScalars.contains(text[place - 1])
  }

  private static func ends(at place: Int, in text: Scalars) -> Bool {
    guard place < text.count else { return true }
    if text[place].isWord { return place > 0 && meet(text[place - 1], text[place]) }
    return place + 1 == text.count || !text[place + 1].isDigit
      || !".,:".unicodeScalars.contains(text[place])
  }

  /// Parts between blanks that have a letter or digit; in Chinese and Japanese each sign is one.
  static func words(_ text: String) -> Int {
    parts(text).reduce(0) { count, part in
      let signs = part.count { $0.isSign && $0.isWord }
      return count + signs
        + part.split(whereSeparator: \.isSign).count { $0.contains(where: \.isWord) }
    }
  }

  /// Lines that are not blank.
  static func lines(_ text: String) -> Int {
    text.unicodeScalars.split(whereSeparator: \.isLineEnd).count { !$0.allSatisfy(\.isBlank) }
  }

  /// The sentences of a text; a last one may lack its mark.
  static func sentences(_ text: String) -> [String] {
    let abbreviation = /\b(?:(mr|mrs|ms|dr|st)\.|([ap])\.(m)\.)/
      .ignoresCase().wordBoundaryKind(.simple)
    let text = straight(parted(text)).replacing(abbreviation) { match in
      [match.output.1, match.output.2, match.output.3].compactMap { $0.map(String.init) }.joined()
    }
    let scalars = Array(text.unicodeScalars)
    var (parts, part, place): ([Scalars], Scalars, Int) = ([], [], 0)
    while place < scalars.count {
      if let end = gap(at: place, in: scalars) {
        parts.append(part)
        (part, place) = ([], end)
      } else {
        part.append(scalars[place])
        place += 1
      }
    }
    return (parts + [part]).filter { $0.contains(where: \.isWord) }.map { trimmed(string($0)) }
  }

  /// The text with a line end behind each mark that ends a sentence without a blank.
  private static func parted(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    return string(
      scalars.enumerated().flatMap { place, scalar -> Scalars in
        guard closeEnds.contains(scalar), place + 1 < scalars.count else { return [scalar] }
        let next = scalars[place + 1]
        let goesOn = closeEnds.contains(next) || closers.contains(next) || next.isBlank
        return goesOn ? [scalar] : [scalar, "\n"]
      })
  }

  /// Where what parts two sentences ends, if it starts at `place`: blanks behind a mark, or behind quotes that close with one
  /// unless the sentence goes on in small letters, or line ends.
  private static func gap(at place: Int, in text: Scalars) -> Int? {
    if place > 0, text[place - 1].endsSentence {
      let blanks = place + text[place...].prefix(while: \.isBlank).count
      if blanks > place { return blanks }
      let closed = place + text[place...].prefix { "\"')".unicodeScalars.contains($0) }.count
      var end = closed + text[closed...].prefix(while: \.isBlank).count
      let goesOn = end < text.count && ("a"..."z").contains(text[end])
      // One of several blanks may count as the start of what follows.
      if goesOn { end -= 1 }
      if closed > place, end > closed { return end }
    }
    let end = place + text[place...].prefix { $0 == "\n" }.count
    return end > place ? end : nil
  }

  /// Whether no sentence of three words or more stands there twice and no word three times in a row.
  static func isUnrepeated(_ text: String) -> Bool {
    let long = sentences(text).filter { words($0) > 2 }.map { string(normal($0)).utf8.map(\.self) }
    guard Set(long).count == long.count else { return false }
    let plain = plain(text)
    var (last, count, lastEnd): (ArraySlice<Unicode.Scalar>, Int, Int) = ([], 0, -1)
    var place = 0
    while let start = plain[place...].firstIndex(where: \.isWord) {
      let end = plain[start...].firstIndex { !$0.isWord } ?? plain.count
      let follows =
        lastEnd > 0 && start == lastEnd + 1 && plain[lastEnd] == " "
        && plain[start..<end] == last
      count = follows ? count + 1 : 1
      if count == 3 { return false }
      (last, lastEnd, place) = (plain[start..<end], end, end)
    }
    return true
  }
}

extension Unicode.Scalar {
  /// Letters, the marks on them, digits and the underscore.
  var isWord: Bool {
    if value < 0x80 {
      return ("a"..."z").contains(self) || ("A"..."Z").contains(self)
        || ("0"..."9").contains(self) || self == "_"
    }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      return true
    default: return false
    }
  }

  var isDigit: Bool { properties.generalCategory == .decimalNumber }

  var isBlank: Bool { properties.isWhitespace || (0x1C...0x1F).contains(value) }

  /// What ends a line, for Python and Unicode.
  fileprivate var isLineEnd: Bool {
    (0x0A...0x0D).contains(value) || (0x1C...0x1E).contains(value)
      || [0x85, 0x2028, 0x2029].contains(value)
  }

  /// The scalar in folded case, which `uppercase` and `lowercase` make but of the dotless i and the capital ß.
  fileprivate var folded: [Unicode.Scalar] {
    if value < 0x80 {
      return [("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 32) : self]
    }
    if self == "ı" { return [self] }
    if self == "ẞ" { return ["s", "s"] }
    return properties.uppercaseMapping.unicodeScalars.flatMap {
      Array($0.properties.lowercaseMapping.unicodeScalars)
    }
  }
}
