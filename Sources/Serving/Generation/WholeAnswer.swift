/// An answer of which all has come.
struct WholeAnswer {
  var all = Generation.Piece()
  var end = Generation.End.finished
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
  /// Adds what has come behind it; calls are told of at the end.
  mutating func append(_ other: Self) {
    text += other.text
    thought += other.thought
    reports += other.reports
  }
}
