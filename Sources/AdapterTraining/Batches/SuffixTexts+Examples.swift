public import Adapters
public import LanguageModels
import Tokenization

extension SuffixTexts {
  /// Tokens of the store of an adapter, at most, unless said otherwise: half a megabyte, ordered within a tenth of a second.
  public static let usualTokens = 1 << 17

  /// The answers of `examples`, each with the marks before it, in tokens of `model`.
  ///
  /// Those that came most often go first, then those that came first; what does not fit into `tokenLimit` is left out.
  ///
  /// - Throws: As `SuffixTexts.init(_:for:)`; `.tokenCount` where there are no answers.
  public init(
    _ examples: [TokenizedExample], for model: LanguageModel, tokenLimit: Int = Self.usualTokens
  ) throws {
    var order: [[Token]] = []
    var counts: [[Token]: Int] = [:]
    for answer in examples.flatMap(\.answers) {
      if counts[answer] == nil { order.append(answer) }
      counts[answer, default: 0] += 1
    }
    var size = 0
    let texts = order.enumerated()
      .map { (place: $0, text: Text($1, count: counts[$1] ?? 1)) }
      .sorted { ($1.text.count, $0.place) < ($0.text.count, $1.place) }
      .map(\.text)
      .filter { text in
        guard size + text.tokens.count <= tokenLimit else { return false }
        size += text.tokens.count
        return true
      }
    try self.init(texts, for: model)
  }
}
