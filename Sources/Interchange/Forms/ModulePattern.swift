/// A name or pattern of modules in a configuration of PEFT, as Python's `re` reads it, as far as such names go.
///
/// PEFT looks for `(.*\.)?(PATTERN)$` from the start of a module's path. Here a pattern has letters, digits, underscores,
/// dots, `\.`, `\d`, `[qkv]`, `[0-9]`, `(a|b)`, each of them with `*`, `+` or `?` behind it, `^` in front and `$` at the end.
struct ModulePattern {
  private indirect enum Part {
    case byte(UInt8)
    case any
    case one(of: Set<UInt8>)
    case choice([[Part]])
    case optional(Part)
    case many(Part)
  }

  private var parts: [Part] = []
  private var isAnchored = false

  /// Nil where the pattern has something else.
  init?(_ text: String) {
    var bytes = Array(text.utf8)[...]
    if bytes.first == UInt8(ascii: "^") {
      isAnchored = true
      bytes.removeFirst()
    }
    if bytes.last == UInt8(ascii: "$") { bytes.removeLast() }
    guard bytes.count <= 512, let choice = Self.choice(&bytes, depth: 0), bytes.isEmpty else {
      return nil
    }
    parts = [choice]
  }

  /// Whether the module at `path` is meant.
  func matches(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    let starts = bytes.indices.filter {
      $0 == 0 || !isAnchored && bytes[$0 - 1] == UInt8(ascii: ".")
    }
    return Self.ends(of: parts, in: bytes, from: Set(starts)).contains(bytes.count)
  }

  /// All places where `parts` may end that begin at one of `places`: linear in the text, whatever the pattern.
  private static func ends(of parts: [Part], in bytes: [UInt8], from places: Set<Int>) -> Set<Int> {
    parts.reduce(places) { ends(of: $1, in: bytes, from: $0) }
  }

  private static func ends(of part: Part, in bytes: [UInt8], from places: Set<Int>) -> Set<Int> {
    func step(_ isTaken: (UInt8) -> Bool) -> Set<Int> {
      Set(places.filter { $0 < bytes.count && isTaken(bytes[$0]) }.map { $0 + 1 })
    }
    switch part {
    case .byte(let byte): return step { $0 == byte }
    case .any: return step { _ in true }
    case .one(let bytes): return step { bytes.contains($0) }
    case .choice(let choices):
      return choices.reduce(into: []) { $0.formUnion(ends(of: $1, in: bytes, from: places)) }
    case .optional(let part): return places.union(ends(of: part, in: bytes, from: places))
    case .many(let part):
      var (all, new) = (places, places)
      while !new.isEmpty {
        new = ends(of: part, in: bytes, from: new).subtracting(all)
        all.formUnion(new)
      }
      return all
    }
  }

  private static func choice(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> Part? {
    var choices: [[Part]] = [[]]
    while let byte = bytes.first, byte != UInt8(ascii: ")") {
      bytes.removeFirst()
      if byte == UInt8(ascii: "|") {
        choices.append([])
        continue
      }
      guard let part = part(byte, &bytes, depth) else { return nil }
      choices[choices.count - 1] += repeated(part, &bytes)
    }
    return .choice(choices)
  }

  private static func part(
    _ byte: UInt8, _ bytes: inout ArraySlice<UInt8>, _ depth: Int
  ) -> Part? {
    switch byte {
    case UInt8(ascii: "("):
      if bytes.starts(with: Array("?:".utf8)) { bytes.removeFirst(2) }
      guard depth < 8, let part = choice(&bytes, depth: depth + 1),
        bytes.popFirst() == UInt8(ascii: ")")
      else { return nil }
      return part
    case UInt8(ascii: "."): return .any
    case UInt8(ascii: "\\"):
      switch bytes.popFirst() {
      case UInt8(ascii: "."): return .byte(UInt8(ascii: "."))
      case UInt8(ascii: "d"): return .one(of: Set(UInt8(ascii: "0")...UInt8(ascii: "9")))
      default: return nil
      }
    case UInt8(ascii: "["): return set(&bytes)
    default: return isOfNames(byte) ? .byte(byte) : nil
    }
  }

  private static func isOfNames(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Letters and digits up to the bracket, with ranges of them.
  private static func set(_ bytes: inout ArraySlice<UInt8>) -> Part? {
    var found: Set<UInt8> = []
    while let first = bytes.popFirst() {
      if first == UInt8(ascii: "]") { return found.isEmpty ? nil : .one(of: found) }
      guard isOfNames(first) else { return nil }
      guard bytes.first == UInt8(ascii: "-") else {
        found.insert(first)
        continue
      }
      bytes.removeFirst()
      guard let last = bytes.popFirst(), isOfNames(last), first <= last else { return nil }
      found.formUnion(first...last)
    }
    return nil
  }

  /// `part` with what stands behind it.
  private static func repeated(_ part: Part, _ bytes: inout ArraySlice<UInt8>) -> [Part] {
    switch bytes.first {
    case UInt8(ascii: "*"):
      bytes.removeFirst()
      return [.many(part)]
    case UInt8(ascii: "+"):
      bytes.removeFirst()
      return [part, .many(part)]
    case UInt8(ascii: "?"):
      bytes.removeFirst()
      return [.optional(part)]
    default: return [part]
    }
  }
}
