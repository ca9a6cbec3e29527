/// Ends a text where one of some texts comes, which is no part of it.
///
/// What may be the beginning of one is held back until it is known.
struct StopTexts {
  private let stops: [[UInt8]]
  /// Bytes that may be the beginning of a stop.
  private var held: [UInt8] = []
  /// The stop that has come; nil while none has.
  private(set) var found: String?

  init(_ stops: [String]) { self.stops = stops.map { Array($0.utf8) }.filter { !$0.isEmpty } }

  /// What is known to be text now that `text` has come.
  mutating func append(_ text: String) -> String {
    guard !stops.isEmpty, found == nil else { return found == nil ? text : "" }
    held += text.utf8
    let places = stops.map { (stop: $0, place: Self.place(of: $0, in: held)) }
    let first = places.filter { $0.place != nil }.min { ($0.place ?? 0) < ($1.place ?? 0) }
    if let (stop, place) = first, let place {
      found = String(decoding: stop, as: UTF8.self)
      defer { held = [] }
      return String(decoding: held[..<place], as: UTF8.self)
    }
    let kept = stops.map { Self.overlap(of: held, with: $0) }.max() ?? 0
    defer { held = held.suffix(kept) }
    return String(decoding: held.dropLast(kept), as: UTF8.self)
  }

  /// The rest, which turned out to be no stop.
  mutating func finish() -> String {
    defer { held = [] }
    return String(decoding: held, as: UTF8.self)
  }

  private static func place(of stop: [UInt8], in text: [UInt8]) -> Int? {
    guard text.count >= stop.count else { return nil }
    return (0...text.count - stop.count).first { text[$0...].starts(with: stop) }
  }

  /// Bytes at the end of `text` that `stop` begins with.
  private static func overlap(of text: [UInt8], with stop: [UInt8]) -> Int {
    (0..<min(text.count + 1, stop.count)).last { stop.starts(with: text.suffix($0)) } ?? 0
  }
}
