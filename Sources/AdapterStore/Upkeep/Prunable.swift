public import FoundationEssentials
import SystemFiles

/// Something in the store that is of no more use.
public struct Prunable: Sendable, Equatable, Codable {
  /// What it is.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// An adapter whose signature matches no installed base.
    case adapter
    /// A compiled draft of an adapter or for a base that is not installed, or such a base compiled.
    case compiled
    /// A download that nobody is at work on.
    case partial
    /// What an installation has left that ended too early.
    case ingest
  }

  /// What it is.
  public let kind: Kind
  /// Its name for people: an identifier, a key, an address.
  public let name: String
  /// What is removed.
  package let path: String
  /// Bytes that its removal gives back.
  public let size: Int
  /// Why it is of no more use, as the end of a sentence.
  public let reason: String
  /// When it was made, by its own record; nil when nothing says so.
  package let recorded: Date?
  /// Whether a session has it open; then it stays.
  package let isInUse: Bool
}

/// What `prune` looks for.
public struct PruneSelection: Sendable, Equatable {
  /// What to look for.
  public var kinds: Set<Prunable.Kind>
  /// Seconds since its recorded time that something must be old, zero for any age.
  ///
  /// Something without a recorded time is never old; a download with one that lies ahead always is.
  public var olderThan: TimeInterval
  /// Whether a download stays that somebody may still go on with: one of the last week.
  package var sparesFreshPartials: Bool

  /// Seconds for which a download that was not finished is of use: a week.
  static let freshness: TimeInterval = 7 * 86_400

  /// Everything, of any age, unless said otherwise.
  public init(
    kinds: Set<Prunable.Kind> = Set(Prunable.Kind.allCases), olderThan: TimeInterval = 0,
    sparesFreshPartials: Bool = false
  ) {
    self.kinds = kinds
    self.olderThan = olderThan
    self.sparesFreshPartials = sparesFreshPartials
  }

  func includes(_ item: Prunable, now: Date) -> Bool {
    guard kinds.contains(item.kind) else { return false }
    let age = item.recorded.map { now.timeIntervalSince($0) }
    if item.kind == .partial, let age {
      // What lies ahead was written by a wrong clock: how old it is nobody can tell, and so nobody waits for it.
      if age < -PartialDownload.clockSlack { return true }
      if sparesFreshPartials, age < Self.freshness { return false }
    }
    guard olderThan > 0 else { return true }
    return age.map { $0 >= olderThan } ?? false
  }
}

/// What became of something that was to be pruned.
public struct PruneResult: Sendable, Equatable, Codable {
  /// How it ended.
  public enum Outcome: String, Sendable, Codable {
    case removed
    /// It is of use again, somebody uses it now, or it is for another user to remove.
    case kept
    /// Somebody else has removed it.
    case gone
    /// The system refused.
    case failed
  }

  /// What was to be removed.
  public let item: Prunable
  /// How it ended.
  public let outcome: Outcome
  /// The system's words, when it refused, and why something stays that is neither of use nor in use.
  public let reason: String?
}

extension PruneResult {
  /// What `failure` to remove `item` means.
  init(_ item: Prunable, failure: StoreError) {
    switch failure.fileError {
    case let error? where error.isMissing:
      self.init(item: item, outcome: .gone, reason: nil)
    // The group may take an entry away, but not what is in a folder that its owner alone may write.
    case let error?
    where error.isDenied && [.ingest, .partial].contains(item.kind):
      self.init(
        item: item, outcome: .kept,
        reason: "this user may not remove it; the next installation by its owner does")
    default: self.init(item: item, outcome: .failed, reason: failure.description)
    }
  }
}
