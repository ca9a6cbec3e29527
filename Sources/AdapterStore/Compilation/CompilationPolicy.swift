import FoundationEssentials
import SystemFiles

/// How often an application may compile.
public struct CompilationPolicy: Sendable, Equatable {
  /// Compilations within 24 hours; nil for any number.
  public var limit: Int?
  /// Whose compilations are counted together; of any text.
  public var application: String

  /// No limit, unless one is given.
  public init(limit: Int? = nil, application: String = "fmadapter") {
    (self.limit, self.application) = (limit, application)
  }
}

/// When applications compiled, in `compilations.json` of the store.
struct CompilationLog {
  /// Times by application; those of the last day.
  private var times: [String: [Date]]
  private let path: String

  static let fileName = "compilations.json"
  private static let day: TimeInterval = 86_400

  /// Reads the log of the store in `layout`; one that cannot be read has nothing in it.
  init(_ layout: StoreLayout, now: Date) {
    path = layout.compilations
    let read: [String: [Date]]? = StoredJSON.read(path, limit: 1 << 20)
    times = (read ?? [:]).mapValues { dates in
      dates.filter { now.timeIntervalSince($0) < Self.day && $0 <= now }
    }.filter { !$0.value.isEmpty }
  }

  /// Throws where one more is not allowed now.
  func check(_ policy: CompilationPolicy) throws(StoreError) {
    guard let limit = policy.limit else { return }
    let times = (times[policy.application] ?? []).sorted()
    guard times.count >= limit else { return }
    // The earliest of those that have to go for one more.
    let freed = times.isEmpty ? nil : times[max(0, times.count - max(1, limit))]
    throw .compilationLimit(
      application: policy.application, limit: limit, until: freed?.addingTimeInterval(Self.day))
  }

  /// Adds one more at `now`.
  mutating func note(_ policy: CompilationPolicy, now: Date) throws(StoreError) {
    let second = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    times[policy.application, default: []].append(second)
    try storing { () throws(FileError) in try StoredJSON.write(times, to: path) }
  }
}
