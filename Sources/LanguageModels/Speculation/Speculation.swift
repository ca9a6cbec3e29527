/// Where the proposals for a conversation come from, beside its grammars and what came earlier in it.
public struct Speculation: Sendable {
  /// Texts like those that are to come.
  public var store: SuffixStore?
  /// A small model.
  public var draft: DraftModel?
  /// What passes cost on this machine; learned from the passes themselves if nil.
  public var costs: PassCosts?

  /// The conversation alone, unless more is given.
  public init(store: SuffixStore? = nil, draft: DraftModel? = nil, costs: PassCosts? = nil) {
    (self.store, self.draft, self.costs) = (store, draft, costs)
  }
}
