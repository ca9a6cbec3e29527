/// A request that has come whole.
package struct HTTPRequest: Sendable {
  /// As it was sent, such as `POST`.
  package let method: String
  /// The path as it was sent, without the query.
  package let path: String
  /// Names in lowercase, in the order in which they came.
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]
  /// Who sends it: an address, or ``HTTPSocket/local``.
  package let client: String
  /// Whether the client has gone away meanwhile; on the thread of its connection, where it keeps that alive, too.
  package let isGone: @Sendable () -> Bool
  /// What operators are told of it.
  package let record: RequestRecord
  /// What keeps the connection alive while the answer lets wait for itself; nil where there is none.
  var pulse: HTTPPulse?

  package init(
    method: String, path: String, fields: [(name: String, value: String)] = [], body: [UInt8] = [],
    client: String = "", record: RequestRecord? = nil,
    isGone: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.method, self.path, self.fields, self.body) = (method, path, fields, body)
    (self.client, self.isGone, self.record) = (client, isGone, record ?? RequestRecord())
  }

  /// The first value of a field.
  package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// An answer to a request.
package struct HTTPResponse {
  package enum Body {
    case bytes([UInt8])
    /// Pieces as they come; each is sent at once.
    case stream(any HTTPStream)
  }

  package var status: Int
  package var fields: [(name: String, value: String)]
  package var body: Body

  package init(_ status: Int, _ fields: [(name: String, value: String)] = [], _ body: Body) {
    (self.status, self.fields, self.body) = (status, fields, body)
  }
}

/// What makes the pieces of an answer, on the thread of its connection.
package protocol HTTPStream: AnyObject {
  /// The next piece, which is not empty; nil behind the last one. It may take its time.
  func next() -> [UInt8]?

  /// What may be sent between two pieces and says nothing; nil where nothing may be.
  var ping: [UInt8]? { get }
}

extension HTTPStream {
  package var ping: [UInt8]? { nil }
}
