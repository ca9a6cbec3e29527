/// What a model made of one line.
public struct AnswerRecord: Sendable {
  /// Which line, by its place in the set.
  public let index: Int
  /// How unlikely the right answer was.
  public var loss: AnswerLoss?
  /// What the model answered; nil where it was not asked, or has not been yet.
  public var answer: String?
  /// Whether the answer was cut at the longest length.
  public var isCut = false
  /// Tokens of the answer.
  package var tokens = 0
  /// For each order of the options, the loss of each of them.
  public var options: [[AnswerLoss]] = []

  /// The record of the line at `index`, of which nothing is known yet.
  public init(index: Int) { self.index = index }
}
