import AdapterStore
import JSON
import SystemFiles

/// What goes wrong with a server, with the next step.
enum ServerFault {
  /// Characters of a server's words that are shown.
  private static let limit = 400

  static func failure(_ fault: TransferFault, _ server: ServerConnection) -> any Error {
    switch fault {
    case .cancelled: CancellationError()
    case .refused: cut(server)
    case .unreachable:
      Failure(
        .network, "\(fault.sentence.problem)\(remedy: "check the address, or start the server")")
    case .slow:
      Failure(
        .network,
        "\(server.origin) has sent nothing for a long time\(remedy: "look what it does, and try again")"
      )
    case .other:
      Failure(
        .network,
        "\(server.origin): \(fault.sentence.problem)\(remedy: "check the address; a server on this machine mostly wants http")"
      )
    default: Failure(.network, "\(server.origin): \(fault.sentence)")
    }
  }

  /// An answer that ended before its end.
  static func cut(_ server: ServerConnection) -> Failure {
    Failure(
      .network, "the answer of \(server.origin) ended before it was whole\(remedy: "try again")")
  }

  /// What answers is none that is understood.
  static func noInterface(_ server: ServerConnection) -> Failure {
    Failure(
      .network,
      "\(server.address) is no place of OpenAI's interface"
        + "\(remedy: "give the address where it begins, mostly one that ends with /v1")")
  }

  /// An error that comes in the midst of an answer.
  static func failure(in said: JSONValue, _ server: ServerConnection) -> Failure {
    Failure(
      .network, "\(server.origin) gave up within the answer: \(message(said) ?? "it says not why")")
  }

  /// What a status says.
  static func failure(
    _ status: Int, _ body: [UInt8], hasKey: Bool, _ server: ServerConnection
  ) -> Failure {
    let object = (try? JSONDocument(parsing: body))?.root.object
    let words = (object?["error"] ?? object?["detail"] ?? object?["message"]).flatMap(message)
    let said = words.map { ": \($0)" } ?? " (status \(status))"
    switch status {
    case 401, 403:
      return Failure(
        .network,
        "\(server.origin) \(hasKey ? "does not take the key" : "wants a key")\(said)"
          + "\(remedy: "set \(ServerConnection.keyVariable) to one that it knows")")
    case 404 where words?.lowercased().contains("model") == true:
      return Failure(.notFound, "\(server.origin)\(said)")
    case 404, 405: return noInterface(server)
    case 429, 503:
      return Failure(.busy, "\(server.origin) is busy\(said)\(remedy: "try again later")")
    case 500...: return Failure(.network, "\(server.origin) has failed\(said)")
    default: return Failure(.usage, "\(server.origin) does not take the request\(said)")
    }
  }

  private static func message(_ said: JSONValue) -> String? {
    guard let text = said.object?["message"]?.string ?? said.string else { return nil }
    var line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    // A next step may follow.
    if line.hasSuffix(".") { line.removeLast() }
    guard !line.isEmpty else { return nil }
    return line.count > limit ? line.prefix(limit) + "…" : line
  }
}
