/// A key that no text shows.
struct ServerKey: Sendable, Hashable {
  let text: String

  /// `text` without the key, should a server repeat it.
  func hidden(in text: String) -> String {
    self.text.isEmpty ? text : text.replacing(self.text, with: "***")
  }
}

extension ServerKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "***" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
