import Tokenization

extension BaseModel {
  /// Makes sure that the base can answer at all: its tokenizer can be used, and what it computes are numbers.
  ///
  /// A file without any tokenizer passes: it gives no answers, but shapes, weights and logits.
  ///
  /// - Complexity: One pass over all weights.
  package func checkAnswers() throws(BaseModelError) {
    var first: Int32 = 0
    do throws(BaseModelError) {
      first = try tokenizer().beginToken.map { Int32($0) } ?? 0
    } catch .tokenizer(.noTokenizer, _) {}
    let session = try ModelSession(self, contextLength: 1)
    try session.evaluate([first], isCancelled: { false }) { _, _ in }
  }
}
