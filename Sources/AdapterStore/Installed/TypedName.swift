import SystemFiles

/// A name as somebody typed it: capitals do not matter, unless two names differ in nothing else.
struct TypedName {
  let text: String

  init(_ text: String) { self.text = text }

  /// The entries that are called so, by one of their names; those in other capitals only where none has these.
  func matches<Entry>(_ entries: [Entry], _ names: (Entry) -> [String]) -> [Entry] {
    let exact = entries.filter { names($0).contains(text) }
    guard exact.isEmpty else { return exact }
    let folded = text.lowercased()
    return entries.filter { names($0).contains { $0.lowercased() == folded } }
  }

  /// Whether it is the first 4 or more digits of `signature`.
  func begins(_ signature: String) -> Bool {
    text.utf8.count >= 4 && signature.hasPrefix(text.lowercased())
  }

  /// That of `names` which was probably meant: one that it nearly is, or that begins with it.
  func nearest(among names: [String]) -> String? {
    guard let near = Suggestion.nearest(to: text, among: names) else {
      let folded = text.lowercased()
      return text.count < 3 ? nil : names.first { $0.lowercased().hasPrefix(folded) }
    }
    return near
  }
}
