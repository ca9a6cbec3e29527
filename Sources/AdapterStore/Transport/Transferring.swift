/// Fetches bytes from addresses: the network, or what a test puts in its place.
package protocol Transferring: Sendable {
  /// Performs `request`: redirects are followed, and `receiver` sees the head of the last response and its body.
  ///
  /// One call is one attempt; nothing is retried here. Cancelling the task ends it with `CancellationError`'s
  /// counterpart, `.cancelled`.
  ///
  /// - Throws: `TransferFault`, also for a body that ends before its declared length, is longer than
  ///   ``TransferRequest/limit``, or comes too slowly. A status such as 404 is no error here: `receiver` decides.
  func perform(
    _ request: TransferRequest, _ receiver: any TransferReceiver
  ) async throws(TransferFault)
}

/// Takes what a transfer brings, in order, on whatever thread it comes.
package protocol TransferReceiver: AnyObject, Sendable {
  /// The head of the response; called once, before any body. Throwing ends the transfer with `.refused`.
  func receive(_ head: ResponseHead) throws
  /// The next bytes of the body. Throwing ends the transfer with `.refused`.
  func receive(_ bytes: RawSpan) throws
  /// Nothing has come from `host` for a while, and the transfer goes on.
  func wait(for host: String)
}

extension TransferReceiver {
  /// Does nothing.
  package func wait(for host: String) {}
}

/// One request, and the limits of its answer.
package struct TransferRequest: Sendable, Equatable {
  /// Absolute address.
  package var url: String
  /// Bytes that are asked for; nil for all of them.
  package var range: Range<Int>?
  /// The version that the range has to be of: a strong entity tag, with its quotation marks.
  package var ifRange: String?
  /// What is sent, as POST; nil to fetch.
  ///
  /// Such a request follows no redirect.
  package var body: [UInt8]?
  /// The file that is sent, as PUT, where there is no `body`; neither does that follow a redirect.
  var upload: Upload?
  /// The method, where it is another one than these.
  var method: String?
  /// Fields of a request that sends something, each as `Name: value`; the policy's token is not among them.
  package var fields: [String] = []
  /// What is taken for an answer of a request that sends nothing.
  var accept = "*/*"
  /// What lets it in, as the value of `Authorization`, at the origin of `url` alone; the policy's token there if nil.
  var authorization: String?
  /// Whether the answer is small, so that less patience is enough.
  package var isSmall = false
  /// Whether caches on the way have to ask its origin, as what they have may be old, or damaged.
  package var isFresh: Bool
  /// Bytes of body after which the transfer is ended.
  package var limit: Int

  package init(
    url: String, range: Range<Int>? = nil, ifRange: String? = nil, isSmall: Bool = false, limit: Int
  ) {
    self.url = url
    self.range = range
    self.ifRange = ifRange
    self.isSmall = isSmall
    // What is small says what there is now: a catalog, a digest, whether a file is still the same.
    isFresh = isSmall
    self.limit = limit
  }

  /// A file that is sent.
  struct Upload: Sendable, Equatable {
    var path: String
    /// Bytes that it has to have.
    var size: Int
  }

  /// Whether it sends something.
  var isSending: Bool { body != nil || upload != nil }
}

/// Status and the fields of a response that matter here.
package struct ResponseHead: Sendable, Equatable {
  /// As in RFC 9110; 200 for a local file.
  package var status: Int
  /// Address of this response, after redirects.
  package var url: String
  /// Bytes of the body, where the server says so.
  var contentLength: Int?
  /// From a valid `Content-Range`: the bytes of the body, and the length of the whole where it is known.
  var contentRange: ContentRange?
  /// The entity tag as it came, with quotation marks and `W/`.
  var entityTag: String?
  /// Seconds to wait, from `Retry-After` in either form.
  package var retryAfter: Double?
  /// Media type in lower case, without parameters.
  package var mediaType: String?
  /// Anything but identity; such a body is not what was asked for.
  var contentEncoding: String?
  /// What the head, and those that redirected to it, say of the digest of the whole file.
  var digests: [DigestClaim] = []
  /// Whether the server says that it has byte ranges.
  var acceptsRanges: Bool
  /// The commit that a hub says the file is of, here or in a redirect to it.
  var repoCommit: String?
  /// Bytes that a hub says the whole file has, here or in a redirect to it.
  var linkedSize: Int?
  /// Whether a token went with the request.
  var hadToken = false
  /// Whether that was a name and a password.
  var hadLogin = false
  /// Whether the server asks for a name and a password, and not for a token.
  var wantsLogin = false
  /// The file that tokens are read from, as texts call it; nil where none is.
  var tokenFile: String?
  /// What a hub says is wrong.
  var hubError: HubErrorCode?
  /// Where what was sent goes on, or is; as it came.
  var location: String?
  /// What the server wants to know of who asks, in the order in which it says so.
  var challenges: [String] = []
  /// The digest that a registry says what was sent or asked for has; as it came.
  var registryDigest: String?
  /// The digest of the manifest that what was sent is about, where the registry keeps such lists itself.
  var registrySubject: String?

  package init(status: Int, url: String) {
    self.status = status
    self.url = url
    acceptsRanges = false
  }

  /// Whether the server calls it a web page.
  var isMarkup: Bool { mediaType == "text/html" || mediaType == "application/xhtml+xml" }

  /// The entity tag if it is a strong validator, which alone can guard a range.
  var strongTag: String? {
    guard let entityTag, !entityTag.hasPrefix("W/") else { return nil }
    return entityTag
  }
}

/// The bytes that a 206 brings.
struct ContentRange: Sendable, Equatable {
  var bytes: Range<Int>
  var total: Int?
}
