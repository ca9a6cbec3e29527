import JSON

/// The lines of an answer of Ollama's interface, each an object.
final class OllamaStream: HTTPStream {
  private let answer: OllamaAnswer
  private var hasEnded = false

  init(_ answer: OllamaAnswer) { self.answer = answer }

  func next() -> [UInt8]? {
    guard !hasEnded else { return nil }
    do throws(ServingError) {
      if let piece = try answer.run.next() { return Self.line(answer.object(piece)) }
      hasEnded = true
      return answer.run.end.map(last)
    } catch {
      hasEnded = true
      return Self.line(OllamaErrors.json(error))
    }
  }

  /// Calls, and why the answer has ended.
  private func last(_ end: Generation.End) -> [UInt8] {
    let calls = end.calls
    let called = calls.isEmpty ? [] : Self.line(answer.object(Generation.Piece(), calls: calls))
    var object = answer.object(Generation.Piece())
    answer.finish(&object, end)
    return called + Self.line(object)
  }

  /// An object on a line, in which nothing is that some clients take for the end of one.
  static func line(_ object: JSONObject) -> [UInt8] {
    var line = ""
    for scalar in JSONValue.object(object).line.unicodeScalars {
      switch scalar {
      case "\u{85}": line += #"\u0085"#
      case "\u{2028}": line += #"\u2028"#
      case "\u{2029}": line += #"\u2029"#
      default: line.unicodeScalars.append(scalar)
      }
    }
    return Array(line.utf8) + [0x0A]
  }
}
