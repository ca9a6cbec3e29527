import Adapters

/// A place in a JSON document, as RFC 6901 has it.
struct JSONPointer {
  private let steps: [String]

  /// A pointer as the fragment of an address; nil where it is no pointer.
  init?(fragment: String) {
    guard fragment.utf8.first == UInt8(ascii: "#"),
      let text = Self.percentDecoded(fragment.utf8.dropFirst())
    else { return nil }
    guard !text.isEmpty else {
      steps = []
      return
    }
    guard text.hasPrefix("/") else { return nil }
    steps = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// The pointer with a hash in front.
  var text: String { "#" + steps.map { "/" + Self.escaped($0) }.joined() }

  /// The value there, if there is one.
  func value(in document: JSONValue) -> JSONValue? {
    steps.reduce(document) { (value: JSONValue?, step) in
      switch value {
      case .object(let object): object[step]
      case .array(let values): Int(step).flatMap { values.indices.contains($0) ? values[$0] : nil }
      default: nil
      }
    }
  }

  /// A key as a step of a pointer.
  static func escaped(_ key: String) -> String {
    key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  private static func percentDecoded(_ text: some Sequence<UInt8>) -> String? {
    var (bytes, rest) = ([UInt8](), Array(text)[...])
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest.removeFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
