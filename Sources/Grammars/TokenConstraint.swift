/// Decides which tokens a generation may go on with: asked before each token, and told which one came.
///
/// A constraint has the state of one generation and is used for no other.
public protocol TokenConstraint {
  /// Marks the tokens that may come next in `mask`, in which none is marked yet.
  ///
  /// A stop token among them allows the generation to end here; without any mark it cannot go on.
  mutating func markAllowed(in mask: inout TokenMask) throws(GrammarDefect)

  /// Goes on after `token`, which was marked; not called for the stop token that ends the generation.
  mutating func advance(past token: Int32) throws(GrammarDefect)

  /// Tokens that come next whatever the model says, which saves it the passes; none unless a constraint knows some.
  ///
  /// They come as if the model had chosen them, without a draw: ``advance(past:)`` is told of each.
  mutating func forcedTokens() throws(GrammarDefect) -> [Int32]
}

extension TokenConstraint {
  /// None.
  public mutating func forcedTokens() throws(GrammarDefect) -> [Int32] { [] }
}
