import ChatTemplates
import JSON

/// An answer of which all has come.
struct WholeAnswer {
  var all = Generation.Piece()
  var end = Generation.End.finished

  /// Its calls, with their arguments as the model wrote them; the last one may be cut, where the answer ended for its length.
  var calls: [(name: String, arguments: String)] {
    if case .calls(let calls) = end { return calls.map { ($0.name, $0.arguments.line) } }
    return all.calls.reduce(into: []) { calls, part in
      switch part {
      case .begin(let name): calls.append((name, ""))
      case .arguments(let text): calls[calls.count - 1].arguments += text
      }
    }
  }
}

extension GenerationRun {
  /// All answers, once they have come; nil where the client has gone.
  func whole() throws(ServingError) -> [WholeAnswer]? {
    var answers = [WholeAnswer](repeating: WholeAnswer(), count: count)
    var ended = 0
    while let (index, news) = try nextNews() {
      switch news {
      case .piece(let piece): answers[index].all.append(piece)
      case .end(let end, _):
        answers[index].end = end
        ended += 1
      }
    }
    return ended == count ? answers : nil
  }
}

extension Generation.Piece {
  /// Adds what has come behind it.
  mutating func append(_ other: Self) {
    text += other.text
    thought += other.thought
    reports += other.reports
    calls += other.calls
  }
}
