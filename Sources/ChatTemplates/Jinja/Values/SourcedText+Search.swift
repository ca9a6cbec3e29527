/// Finding, cutting and trimming, as the methods of Python's strings do it.
extension SourcedText {
  /// Byte offsets where `needle` starts, none of them inside another; at most `limit`.
  ///
  /// - Complexity: O(n + m), whatever the texts are (Knuth, Morris and Pratt).
  func occurrences(of needle: SourcedText, limit: Int = .max) -> [Int] {
    guard !needle.isEmpty, needle.bytes.count <= bytes.count, limit > 0 else { return [] }
    let pattern = needle.bytes
    let fallback = Self.fallback(pattern)
    var found: [Int] = []
    var matched = 0
    for (offset, byte) in bytes.enumerated() {
      while matched > 0, pattern[matched] != byte { matched = fallback[matched - 1] }
      if pattern[matched] == byte { matched += 1 }
      guard matched == pattern.count else { continue }
      found.append(offset + 1 - matched)
      if found.count == limit { return found }
      matched = 0
    }
    return found
  }

  /// For each prefix of `pattern` the length of its longest proper prefix that ends it, too.
  private static func fallback(_ pattern: [UInt8]) -> [Int] {
    var lengths = [0]
    var length = 0
    for byte in pattern.dropFirst() {
      while length > 0, pattern[length] != byte { length = lengths[length - 1] }
      if pattern[length] == byte { length += 1 }
      lengths.append(length)
    }
    return lengths
  }

  /// As `occurrences`, searched from the end, in order.
  func occurrencesFromEnd(of needle: SourcedText, limit: Int = .max) -> [Int] {
    let mirrored = SourcedText(bytes.reversed(), .data)
      .occurrences(of: SourcedText(needle.bytes.reversed(), .data), limit: limit)
    return mirrored.map { bytes.count - $0 - needle.bytes.count }.reversed()
  }

  func contains(_ needle: SourcedText) -> Bool {
    needle.isEmpty || !occurrences(of: needle, limit: 1).isEmpty
  }

  func hasPrefix(_ prefix: SourcedText) -> Bool { bytes.starts(with: prefix.bytes) }
  func hasSuffix(_ suffix: SourcedText) -> Bool {
    bytes.suffix(suffix.bytes.count).elementsEqual(suffix.bytes)
  }

  /// The parts between `places`, each of which is as long as `separator`.
  func parts(at places: [Int], of separator: SourcedText) -> [SourcedText] {
    var parts: [SourcedText] = []
    var start = 0
    for place in places {
      parts.append(self[start..<place])
      start = place + separator.bytes.count
    }
    return parts + [self[start..<bytes.count]]
  }

  /// The text with `new` for each of the first `limit` occurrences of `old`.
  func replacing(_ old: SourcedText, with new: SourcedText, limit: Int) -> SourcedText {
    guard !old.isEmpty else { return interleaving(new, limit: limit) }
    let places = occurrences(of: old, limit: limit)
    guard !places.isEmpty else { return self }
    var result = SourcedText()
    var start = 0
    for place in places {
      result.append(self[start..<place])
      result.append(new)
      start = place + old.bytes.count
    }
    result.append(self[start..<bytes.count])
    return result
  }

  /// What Python gives for an empty text to be replaced: `new` before each scalar and at the end.
  private func interleaving(_ new: SourcedText, limit: Int) -> SourcedText {
    var result = SourcedText()
    var left = limit
    for (_, range) in scalars {
      if left > 0 { result.append(new) }
      left -= 1
      result.append(self[range])
    }
    if left > 0 { result.append(new) }
    return result
  }

  static func joining(_ parts: [SourcedText], with separator: SourcedText) -> SourcedText {
    var result = SourcedText()
    for (index, part) in parts.enumerated() {
      if index > 0 { result.append(separator) }
      result.append(part)
    }
    return result
  }
}

extension SourcedText {
  /// Where the text starts and ends without the scalars that `isTrimmed` at the sides that are asked for.
  func trimmed(
    left: Bool = true, right: Bool = true,
    where isTrimmed: (Unicode.Scalar) -> Bool = { $0.isPythonSpace }
  ) -> SourcedText {
    var (start, end) = (0, bytes.count)
    while left, start < end, case let next = scalar(at: start), isTrimmed(next.scalar) {
      start = next.end
    }
    while right, end > start, case let last = scalar(before: end), isTrimmed(last.scalar) {
      end = last.start
    }
    return self[start..<end]
  }

  /// The number of words between white space.
  var wordCount: Int {
    var (count, isInside) = (0, false)
    for (scalar, _) in scalars {
      if !scalar.isPythonSpace, !isInside { count += 1 }
      isInside = !scalar.isPythonSpace
    }
    return count
  }

  /// The words between white space; after `limit` cuts the rest is one.
  func words(limit: Int) -> [SourcedText] {
    var words: [SourcedText] = []
    var offset = 0
    while true {
      while offset < bytes.count, case let next = scalar(at: offset), next.scalar.isPythonSpace {
        offset = next.end
      }
      guard offset < bytes.count else { return words }
      if words.count == limit {
        return words + [self[offset..<bytes.count]]
      }
      let start = offset
      while offset < bytes.count, case let next = scalar(at: offset), !next.scalar.isPythonSpace {
        offset = next.end
      }
      words.append(self[start..<offset])
    }
  }

  /// The words between white space, cut `limit` times from the end.
  func wordsFromEnd(limit: Int) -> [SourcedText] {
    let words = words(limit: .max)
    guard words.count > limit else { return words }
    var end = bytes.count
    var tail: [SourcedText] = []
    for _ in 0..<limit {
      let rest = self[0..<end].trimmed(left: false)
      end = rest.bytes.count
      while end > 0, case let last = scalar(before: end), !last.scalar.isPythonSpace {
        end = last.start
      }
      tail.append(rest[end..<rest.bytes.count])
    }
    return [self[0..<end].trimmed(left: false)] + tail.reversed()
  }

  /// What the number of lines is at most.
  var lineCount: Int { 1 + scalars.count { $0.scalar.endsLine } }

  /// The lines, with or without what ends them.
  func lines(keepsEnds: Bool = false) -> [SourcedText] {
    var lines: [SourcedText] = []
    var (start, offset) = (0, 0)
    while offset < bytes.count {
      let (scalar, end) = scalar(at: offset)
      guard scalar.endsLine else {
        offset = end
        continue
      }
      let isPair = scalar == "\r" && end < bytes.count && bytes[end] == UInt8(ascii: "\n")
      let next = isPair ? end + 1 : end
      lines.append(self[start..<(keepsEnds ? next : offset)])
      (start, offset) = (next, next)
    }
    return start < bytes.count ? lines + [self[start..<bytes.count]] : lines
  }
}

extension Unicode.Scalar {
  /// What Python's `str.isspace` says.
  var isPythonSpace: Bool {
    switch value {
    case 0x09...0x0D, 0x1C...0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F,
      0x205F, 0x3000:
      true
    default: false
    }
  }

  /// What Python's `str.splitlines` cuts at.
  fileprivate var endsLine: Bool {
    switch value {
    case 0x0A...0x0D, 0x1C...0x1E, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
