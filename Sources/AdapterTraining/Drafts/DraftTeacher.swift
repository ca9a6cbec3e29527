import Kernels
import LanguageModels
import Tokenization

/// The adapted base, asked what it would say at each place of its answers, among the tokens that a draft can propose.
final class DraftTeacher {
  private let session: ModelSession
  /// The tokens of the outputs, rising.
  private let tokens: [Token]
  private let outputs: [Token: Int]
  // What it said of each answer, by its place: it takes much longer to say than a draft to learn once.
  private var kept: [Int: TeacherRows] = [:]
  private var room: Int

  /// Values that are kept: half a gigabyte.
  private static let room = 1 << 27

  init(
    _ base: BaseModel, _ adapters: [AppliedAdapter], tokens: [Token], contextLength: Int,
    threads: Int?
  ) throws(BaseModelError) {
    session = try ModelSession(
      base, adapters: adapters, contextLength: contextLength, threads: threads)
    self.tokens = tokens
    outputs = Dictionary(uniqueKeysWithValues: tokens.enumerated().map { ($1, $0) })
    room = Self.room
  }

  /// What it would say behind each of `tokens` from `first` on; those are always the same at one `place`.
  func rows(
    _ place: Int, _ tokens: [Token], from first: Int, isCancelled: () -> Bool
  ) throws(BaseModelError) -> TeacherRows {
    if let rows = kept[place] { return rows }
    let count = tokens.count - first
    var rows = TeacherRows(
      logarithms: FloatMatrix(rows: count, columns: self.tokens.count), best: [])
    session.truncate(to: 0)
    session.begin(tokens)
    if first > 0 { try session.evaluate(Array(tokens[..<first]), isCancelled: isCancelled) }
    try session.evaluate(Array(tokens[first...]), isCancelled: isCancelled) { position, logits in
      take(logits, into: &rows, at: position - first)
    }
    if room >= rows.logarithms.values.count {
      room -= rows.logarithms.values.count
      kept[place] = rows
    }
    return rows
  }

  private func take(_ logits: [Float], into rows: inout TeacherRows, at row: Int) {
    var (best, most) = (0, -Float.infinity)
    for index in logits.indices where logits[index] > logits[best] { best = index }
    rows.best.append(outputs[Token(best)])
    for token in tokens { most = max(most, logits[Int(token)]) }
    var sum = 0.0
    for token in tokens { sum += Double(Mathematics.exponential(logits[Int(token)] - most)) }
    let shift = most + Mathematics.logarithm(Float(sum))
    let start = rows.logarithms.range(row).lowerBound
    for (index, token) in tokens.enumerated() {
      rows.logarithms.values[start + index] = logits[Int(token)] - shift
    }
  }
}
