import Foundation
import MacroExpansion

/// The compiler plugin of the macros: the compiler starts it, asks over pipes, and ends it by closing them.
@main
enum MacroPlugin {
  static func main() throws {
    let connection = PluginConnection()
    while let request = try connection.receive() {
      try connection.send(PluginResponse(to: request))
    }
  }
}

/// Messages on standard input and output: eight bytes of length, least first, then JSON.
struct PluginConnection {
  private let input = FileHandle.standardInput
  private let output = FileHandle.standardOutput

  /// A message that ends early, or a length that no compiler sends.
  enum Failure: Error {
    case cut
    case tooLong(UInt64)
  }

  private static let limit: UInt64 = 1 << 28

  /// The next request; nil when the compiler is done.
  func receive() throws -> PluginRequest? {
    guard let head = try read(8) else { return nil }
    let length = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard length <= Self.limit else { throw Failure.tooLong(length) }
    // The compiler says goodbye with an empty message before it closes the pipe.
    guard length > 0 else { return nil }
    guard let body = try read(Int(length)) else { throw Failure.cut }
    return try JSONDecoder().decode(PluginRequest.self, from: body)
  }

  /// Writes an answer.
  func send(_ response: PluginResponse) throws {
    let body = try JSONEncoder().encode(response)
    var length = UInt64(body.count)
    var head = Data()
    for _ in 0..<8 {
      head.append(UInt8(truncatingIfNeeded: length))
      length >>= 8
    }
    try output.write(contentsOf: head + body)
  }

  /// `count` bytes; nil when there are none at all.
  private func read(_ count: Int) throws -> Data? {
    var data = Data()
    while data.count < count {
      guard let more = try input.read(upToCount: count - data.count), !more.isEmpty else {
        guard data.isEmpty else { throw Failure.cut }
        return nil
      }
      data.append(more)
    }
    return data
  }
}
