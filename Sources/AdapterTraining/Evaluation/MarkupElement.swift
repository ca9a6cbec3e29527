/// An element of XML with its attributes and elements; texts are read over.
///
/// Documents without a type declaration, which is all that a model is asked for.
struct MarkupElement {
  let name: String
  let attributes: [String: String]
  let children: [MarkupElement]

  /// Nil for a text that is no well-formed document.
  init?(_ text: String) {
    var reader = MarkupReader(text)
    reader.skipMisc(withDeclaration: true)
    guard let root = reader.element(depth: 0) else { return nil }
    reader.skipMisc(withDeclaration: false)
    guard reader.isAtEnd, !reader.hasFailed else { return nil }
    self = root
  }

  fileprivate init(name: String, attributes: [String: String], children: [MarkupElement]) {
    (self.name, self.attributes, self.children) = (name, attributes, children)
  }

  func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }

  /// The element itself, and all in it, in their order.
  func descendants(named name: String) -> [MarkupElement] {
    (self.name == name ? [self] : []) + children.flatMap { $0.descendants(named: name) }
  }
}

/// Reads XML 1.0 scalar by scalar.
private struct MarkupReader {
  private let text: [Unicode.Scalar]
  private var place = 0
  private(set) var hasFailed = false

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  var isAtEnd: Bool { place == text.count }

  private mutating func take(_ sign: String) -> Bool {
    let scalars = Array(sign.unicodeScalars)
    guard text[place...].starts(with: scalars) else { return false }
    place += scalars.count
    return true
  }

  private mutating func skipBlanks() -> Bool {
    let start = place
    while place < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[place].value) { place += 1 }
    return place > start
  }

  /// Reads up to `end` and over it; nil where it never comes.
  private mutating func upTo(_ end: String) -> ArraySlice<Unicode.Scalar>? {
    let start = place
    while place < text.count {
      let stop = place
      if take(end) { return text[start..<stop] }
      place += 1
    }
    hasFailed = true
    return nil
  }

  /// Comments, instructions and blanks between elements.
  mutating func skipMisc(withDeclaration: Bool) {
    if withDeclaration, text.starts(with: "<?xml".unicodeScalars) { _ = upTo("?>") }
    while !hasFailed, skipBlanks() || skipComment() {}
  }

  private mutating func skipComment() -> Bool {
    if take("<!--") {
      let inside = upTo("--")
      if inside == nil || !take(">") { hasFailed = true }
      return !hasFailed
    }
    guard take("<?") else { return false }
    guard let target = name(), target.lowercased() != "xml" else {
      hasFailed = true
      return false
    }
    return upTo("?>") != nil
  }

  mutating func element(depth: Int) -> MarkupElement? {
    guard !hasFailed, depth < 64, take("<"), let name = name(), let attributes = attributes() else {
      hasFailed = true
      return nil
    }
    if take("/>") { return MarkupElement(name: name, attributes: attributes, children: []) }
    guard take(">"), let children = content(depth: depth), take(name) else {
      hasFailed = true
      return nil
    }
    _ = skipBlanks()
    guard take(">") else {
      hasFailed = true
      return nil
    }
    return MarkupElement(name: name, attributes: attributes, children: children)
  }

  /// What stands in an element, up to its end mark and over `</`.
  private mutating func content(depth: Int) -> [MarkupElement]? {
    var children: [MarkupElement] = []
    while place < text.count, !hasFailed {
      if take("</") { return children }
      if take("<![CDATA[") {
        _ = upTo("]]>")
      } else if text[place] == "<" {
        if skipComment() { continue }
        guard !hasFailed, let child = element(depth: depth + 1) else { return nil }
        children.append(child)
      } else if take("]]>") || scalar() == nil {
        return nil
      }
    }
    return nil
  }

  /// The next scalar of a text, or the one that a reference stands for.
  private mutating func scalar() -> Unicode.Scalar? {
    let scalar = text[place]
    let isAllowed =
      scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
      || [0x09, 0x0A, 0x0D].contains(scalar.value)
    guard isAllowed else { return nil }
    place += 1
    guard scalar == "&" else { return scalar }
    guard let name = upTo(";").map({ PlainText.string($0) }) else { return nil }
    let known: [String: Unicode.Scalar] = [
      "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    if let scalar = known[name] { return scalar }
    let number =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    return number.flatMap { $0 > 0 ? Unicode.Scalar($0) : nil }
  }

  private mutating func name() -> String? {
    let start = place
    while place < text.count {
      let scalar = text[place]
      let starts = scalar.isWord && !scalar.isDigit || scalar == ":" || scalar == "_"
      guard starts || place > start && (scalar.isDigit || scalar == "-" || scalar == ".") else {
        break
      }
      place += 1
    }
    return place > start ? PlainText.string(text[start..<place]) : nil
  }

  private mutating func attributes() -> [String: String]? {
    var attributes: [String: String] = [:]
    while skipBlanks(), place < text.count, text[place] != ">", text[place] != "/" {
      guard let name = name() else { return nil }
      _ = skipBlanks()
      guard take("=") else { return nil }
      _ = skipBlanks()
      guard let quote = ["\"", "'"].first(where: { take($0) }) else { return nil }
      var value: [Unicode.Scalar] = []
      while !take(quote) {
        guard place < text.count, text[place] != "<", let scalar = scalar() else { return nil }
        value.append(scalar)
      }
      guard attributes.updateValue(PlainText.string(value), forKey: name) == nil else { return nil }
    }
    return attributes
  }
}
