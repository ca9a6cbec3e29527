public import Adapters
public import LanguageModels
import Tokenization

extension SuffixTexts {
  /// Tokens of the store of an adapter, at most, unless said otherwise: half a megabyte, ordered within a tenth of a second.
  private static let usualTokens = 1 << 17

  /// The answers of `examples`, each with the marks before it, in tokens of `model`.
  ///
  /// Those that came most often go first, then those that came first; what does not fit into `tokenLimit` is left out; nil stands for 131,072.
  ///
  /// - Throws: `BaseModelError.missingKey` for a model without a tokenizer; `SuffixDefect`: `.tokenCount` where there are no
  ///   answers.
  public init(_ examples: [TokenizedExample], for model: BaseModel, tokenLimit: Int? = nil) throws {
    try self.init(examples.answers(tokenLimit: tokenLimit ?? Self.usualTokens), for: model)
  }
}

extension [TokenizedExample] {
  /// The answers, each with the marks before it: those that came most often first, then those that came first; what does
  /// not fit into `tokenLimit` is left out.
  func answers(tokenLimit: Int) -> [SuffixTexts.Text] {
    var order: [[Token]] = []
    var counts: [[Token]: Int] = [:]
    for answer in flatMap(\.answers) {
      if counts[answer] == nil { order.append(answer) }
      counts[answer, default: 0] += 1
    }
    var size = 0
    return order.enumerated()
      .map { (place: $0, text: SuffixTexts.Text($1, count: counts[$1] ?? 1)) }
      .sorted { ($1.text.count, $0.place) < ($0.text.count, $1.place) }
      .map(\.text)
      .filter { text in
        guard size + text.tokens.count <= tokenLimit else { return false }
        size += text.tokens.count
        return true
      }
  }
}

extension TokenizedExample {
  /// Tokens before an answer that are kept with it, so that they tell how answers begin.
  private static let lead = 6

  /// Each answer with the marks before it.
  var answers: [[Token]] {
    trained.map { Array(tokens[max(0, $0.lowerBound - Self.lead)..<$0.upperBound]) }
  }
}
