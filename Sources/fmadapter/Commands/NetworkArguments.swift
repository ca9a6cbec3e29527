import AdapterStore
import TensorFiles

/// Options of the commands that download.
enum NetworkArguments {
  static let allowHTTP = Flag("--allow-http", "Fetch also by plain http from other machines")
  static let tokenFromInput = Flag(
    "--token-stdin", "Read the token for the servers of the given addresses from standard input")

  /// True for an address; anything else is a path.
  static func isAddress(_ text: String) -> Bool { text.contains("://") }

  /// The user's store, with what the options and the environment say about the network.
  ///
  /// A token comes from standard input, else from the file that FMADAPTER_TOKEN_FILE names, else from FMADAPTER_TOKEN. It
  /// goes to the servers that were typed, now or when a catalog was added, and to no other.
  static func store(
    _ invocation: Invocation, _ texts: [String] = []
  ) async throws -> AdapterStore {
    let token = try token(invocation)
    let shelf = Shelf(invocation.terminal)
    let catalogs = try await shelf.store().catalogs().catalogs.map(\.address)
    let origins = Set((texts + catalogs).filter(isAddress).compactMap { WebAddress($0)?.origin })
    return try shelf.store { network in
      network.allowsHTTP = invocation.arguments.has(allowHTTP)
      network.allowsFiles = true
      network.token = { origins.contains($0) ? token : nil }
    }
  }

  private static func token(_ invocation: Invocation) throws -> String? {
    let environment = invocation.terminal.environment
    var text = environment["FMADAPTER_TOKEN"]
    if invocation.arguments.has(tokenFromInput) {
      text = readLine()
    } else if let path = environment["FMADAPTER_TOKEN_FILE"], !path.isEmpty {
      text = String(decoding: try FileSystem.read(path, limit: 65_536), as: UTF8.self)
    }
    let token = String((text ?? "").filter { !$0.isWhitespace })
    guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure(.usage, "the token has characters that no token has")
    }
    return token.isEmpty ? nil : token
  }
}
