/// Which turns of a conversation stay when it outgrows its context.
///
/// A turn goes as a whole: what a person says, and all that follows until the person says something again. Instructions, tools
/// and the turn that is being answered always stay.
package enum ContextRule: Sendable, Hashable {
  /// The oldest turns go once there is no room.
  case dropOldest
  /// Only so many turns before the one that is being answered stay at any time, fewer where there is no room for them.
  case keepLast(Int)
  /// The oldest turns go as under `dropOldest`, and what the model makes of them stands in their place.
  case summarize

  /// What the model is asked so that it sums up what goes.
  package static let summaryRequest =
    "Sum up what we have said so far in a few sentences, with all names, numbers and decisions."

  /// Tokens of a summary at most, in a context of `limit`.
  package static func summaryLength(limit: Int) -> Int { max(1, limit / 8) }

  /// Tokens that are kept for an answer of at most `maximum` tokens in a context of `limit`: never more than half of it, and a
  /// quarter where nothing says how long the answer may be.
  package static func room(limit: Int, maximum: Int?) -> Int {
    max(0, min(maximum ?? limit / 4, limit / 2))
  }
}

/// Finds how many of the oldest turns go, asking for the size of what would be left.
///
/// More go than have to: what is left takes three quarters of the room. So the next turns begin as the one before did, and
/// only what is new of them is computed, until the room is full again.
package struct ContextSearch {
  /// Turns that go at least, which is right while it is not asked for a size.
  package private(set) var dropped: Int
  /// How many turns without which the size has to be known; nil once it is found how many go.
  package private(set) var next: Int?
  private let count: Int
  /// Tokens that the conversation may have, and that it is to have once some of it goes.
  private let budget, target: Int
  /// Of so many turns at least it is not known whether they would be enough.
  private var tried: Int?

  /// For `count` turns before the one that is being answered, in a context of `limit` tokens of which `room` are for the answer.
  package init(_ rule: ContextRule, count: Int, limit: Int, room: Int) {
    (dropped, self.count) = (0, count)
    budget = limit - room
    var target = budget / 4 * 3
    switch rule {
    case .dropOldest: break
    case .keepLast(let kept): dropped = max(0, count - kept)
    case .summarize: target -= min(ContextRule.summaryLength(limit: limit), target / 2)
    }
    self.target = target
    next = dropped < count ? dropped : nil
  }

  /// Takes the tokens of the conversation without the turns that were asked for.
  package mutating func note(_ size: Int) {
    guard let asked = next else { return }
    guard let least = tried else {
      // All of them may stay.
      guard size > budget else { return next = nil }
      (tried, dropped) = (asked, count)
      return ask(after: asked)
    }
    if size > target {
      tried = asked
      ask(after: asked)
    } else {
      dropped = asked
      ask(after: least)
    }
  }

  /// Halves what is left to try.
  private mutating func ask(after least: Int) {
    next = dropped - least > 1 ? (least + dropped) / 2 : nil
  }
}
