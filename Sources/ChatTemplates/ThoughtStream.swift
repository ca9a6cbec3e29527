/// Tells what a model thinks before its answer from the answer, as both come.
///
/// Thoughts stand at the start, between the marks that models write as text; the white space around them belongs to neither.
public struct ThoughtStream: Sendable {
  /// A piece of either.
  public enum Part: Equatable, Sendable {
    case thought(String)
    case answer(String)
  }

  private enum Place {
    case start, thoughts, behindThoughts, answer
  }

  private static let marks = [("<think>", "</think>"), ("[THINK]", "[/THINK]")]

  private var place: Place
  /// What has come and may be a part of a mark.
  private var held = ""
  private var end = ""
  private var hasThought = false

  /// What comes behind a prompt that ends with `prompt`; some templates open the thoughts themselves.
  package init(after prompt: String = "") {
    let open = Self.marks.first { prompt.trimmingSuffix(while: \.isWhitespace).hasSuffix($0.0) }
    (place, end) = open.map { (.thoughts, $0.1) } ?? (.start, "")
  }

  /// The mark that ends thoughts, where what comes next is one.
  var closing: String? { place == .thoughts ? end : nil }

  /// Bytes of `text` up to the end of the mark that ends thoughts, and the white space behind it; nil without that mark.
  static func lengthOfEmptyThoughts(in text: String) -> Int? {
    marks.lazy.compactMap { text.firstRange(of: $0.1) }.first.map { range in
      let rest = text[range.upperBound...].drop(while: \.isWhitespace)
      return text[..<rest.startIndex].utf8.count
    }
  }

  /// What a text thinks before the mark that ends thoughts, which a prompt may have opened; nil without that mark.
  package static func thoughts(in text: String) -> String? {
    for (open, close) in marks {
      guard let end = text.firstRange(of: close) else { continue }
      let before = text[..<end.lowerBound]
      let start = before.firstRange(of: open)?.upperBound ?? before.startIndex
      return String(
        before[start...].drop(while: \.isWhitespace).trimmingSuffix(while: \.isWhitespace))
    }
    return nil
  }

  /// The parts that are known once `text` has come, too.
  package mutating func append(_ text: String) -> [Part] {
    held += text
    var parts: [Part] = []
    while let part = next() {
      if let part = part { parts.append(part) }
    }
    return parts
  }

  /// The parts that are left when nothing more comes.
  package mutating func finish() -> [Part] {
    defer { held = "" }
    guard !held.isEmpty, place != .behindThoughts else { return [] }
    return [place == .thoughts ? .thought(held) : .answer(held)]
  }

  /// Goes one step: nil when more has to come, an empty step where only the place changed.
  private mutating func next() -> Part?? {
    switch place {
    case .start:
      let begun = held.drop(while: \.isWhitespace)
      if let mark = Self.marks.first(where: { begun.hasPrefix($0.0) }) {
        (place, end) = (.thoughts, mark.1)
        held = String(begun.dropFirst(mark.0.count))
        return .some(nil)
      }
      if Self.marks.contains(where: { $0.0.hasPrefix(begun) }) { return nil }
      place = .answer
      return .some(nil)
    case .thoughts:
      if !hasThought { held = String(held.drop(while: \.isWhitespace)) }
      if let range = held.firstRange(of: end) {
        let thought = String(held[..<range.lowerBound].trimmingSuffix(while: \.isWhitespace))
        held = String(held[range.upperBound...])
        place = .behindThoughts
        return .some(thought.isEmpty ? nil : .thought(thought))
      }
      return take(keeping: end)
    case .behindThoughts:
      held = String(held.drop(while: \.isWhitespace))
      guard !held.isEmpty else { return nil }
      place = .answer
      return .some(nil)
    case .answer:
      guard !held.isEmpty else { return nil }
      defer { held = "" }
      return .some(.answer(held))
    }
  }

  /// The thoughts that have come but for what may be the start of `mark`, and white space before it.
  private mutating func take(keeping mark: String) -> Part?? {
    let kept = (1..<mark.count).reversed().first { held.hasSuffix(mark.prefix($0)) } ?? 0
    let thought = held.dropLast(kept).trimmingSuffix(while: \.isWhitespace)
    guard !thought.isEmpty else { return nil }
    held = String(held[thought.endIndex...])
    hasThought = true
    return .some(.thought(String(thought)))
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> SubSequence {
    var rest = self[...]
    while let last = rest.last, predicate(last) { rest = rest.dropLast() }
    return rest
  }
}
