/// What is added to the logits of some tokens before one is chosen.
///
/// Source: OpenAI's API reference, "Create chat completion", and its guide "Frequency and presence penalties".
public struct LogitShifts: Sendable, Equatable {
  /// Taken from the logit of each token that the answer has already, `[-2, 2]`.
  public var presence = 0.0
  /// Taken from it once for each time that it has come in the answer, `[-2, 2]`.
  public var frequency = 0.0
  /// Added to the logits of these tokens, `[-100, 100]`.
  public var biases: [Int32: Double] = [:]

  /// Shifts that change nothing.
  public init() {}

  /// What penalties and biases may be.
  package static let (penalties, range) = (-2.0...2, -100.0...100)

  /// Whether there is nothing to be added.
  var isEmpty: Bool { presence == 0 && frequency == 0 && biases.isEmpty }

  /// - Throws: `.invalidOption` for a bias of what is no token of `vocabularySize`.
  func check(_ vocabularySize: Int) throws(BaseModelError) {
    let tokens = 0..<vocabularySize
    guard let token = biases.keys.first(where: { !tokens.contains(Int($0)) }) else { return }
    throw .invalidOption(
      name: "token of a bias", value: "\(token)", rule: "between 0 and \(vocabularySize - 1)")
  }
}
