/// What layers keep of the tokens before a row that is not a row per token, and so cannot be cut off at any of them.
///
/// Where it cannot go back to a position, it goes to one further in front, and the tokens from there on have to be evaluated
/// again: with the same keys and values, as no row depends on which are computed with it.
protocol RunningState: AnyObject {
  /// The position of the next row.
  var end: Int { get }
  /// Bytes that a token takes for as long as the session lasts.
  var bytesPerToken: Int { get }
  /// Expects rows of `count` more positions; a pass that is cancelled has written some of them.
  func willWrite(_ count: Int)
  /// Counts rows of `count` positions as written.
  func advance(by count: Int)
  /// Forgets all positions from `count` on, and where that is not possible some before it.
  func truncate(to count: Int)
}
