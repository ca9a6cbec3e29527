import SystemFiles

/// What the head of a response has to say for its body to be of use.
struct Expectation: Sendable, Equatable {
  /// Address that was asked.
  var url: String
  /// Bytes that were asked for; nil for all of them.
  var range: Range<Int>?
  /// Version that they have to be of.
  var entityTag: String?
  /// Bytes of the whole version that a part has to be of.
  var total: Int?
  /// Bytes of the whole, where a catalog promises them.
  var size: Int?
  /// Bytes that the whole may have.
  var largest = Int.max
  /// Bytes that may come where no length was announced.
  var largestUnannounced = Int.max
  /// What is known of the digest of the whole.
  var claims: [DigestClaim] = []
  /// Whether bytes that nothing vouches for are refused.
  var needsDigest = false
  /// Whether it is all of what is installed, so that a user can know its digest.
  var isOneFile = false
  /// Whether all bytes will do where some were asked for.
  var takesWhole = true
  /// Whether an answer of any status will do that is not a wish for patience; its body is small.
  var takesRefusals = false
  /// What is asked for, where a hub is asked.
  var hub: HubRequest?

  /// The bytes that a response brings.
  struct Body: Sendable, Equatable {
    /// Offsets of the body; without an upper end where the server does not tell the length.
    var range: Range<Int>
    /// Bytes of the whole, where they are known.
    var total: Int?
  }

  /// Decides on the head of a response.
  func judge(_ head: ResponseHead) throws(AttemptFault) -> Body {
    if takesRefusals {
      if let fault = patience(head) { throw fault }
      return Body(range: 0..<Int.max)
    }
    switch head.status {
    case 200, 206: break
    case 416 where range != nil: throw .beyondTheEnd
    default: throw refusal(head)
    }
    if let reason = hub?.mismatch(head, size: size) {
      throw .final(.corrupted(url: shown, reason: reason))
    }
    if let encoding = head.contentEncoding, encoding != "identity" {
      throw network("the server sends the file packed as \(encoding), which it was not asked for")
    }
    return head.status == 206 ? try part(head) : try whole(head)
  }

  /// Refuses a web page by the first bytes of the whole: many servers call anything else one, too, and some call a page
  /// anything else.
  func checkStart(_ bytes: RawSpan, _ head: ResponseHead) throws(AttemptFault) {
    var start: [UInt8] = []
    start.append(copying: bytes.extracting(0..<min(bytes.byteCount, 1024)))
    // White space and a byte order mark may stand before.
    let text = start.drop { [0x09, 0x0A, 0x0D, 0x20, 0xEF, 0xBB, 0xBF].contains($0) }
    let isPage =
      head.isMarkup
      ? text.first == UInt8(ascii: "<")
      : ["<!doctype html", "<html"].contains {
        String(decoding: text.prefix($0.utf8.count), as: UTF8.self).lowercased() == $0
      }
    if isPage { throw page }
  }

  private var page: AttemptFault {
    network(
      "this looks like a web page, not a file"
        + "\(remedy: "it may be a login page: check the address, and whether a token is needed")")
  }

  /// Says that more came than may come without an announced length.
  var endless: AttemptFault {
    .final(
      .corrupted(
        url: shown,
        reason:
          "the server announces no length, and sends more than \(Figures.size(largestUnannounced))")
    )
  }

  private var shown: String { WebAddress.shown(url) }

  /// Refuses a file of which two things are said, and one of which nothing is said where that is wanted.
  ///
  /// `known` are the claims of earlier responses about the same version.
  func checkDigests(_ head: ResponseHead, known: [DigestClaim]) throws(AttemptFault) {
    let all = claims + known + head.digests
    if let conflict = DigestClaim.conflict(in: all) {
      throw .final(.corrupted(url: shown, reason: conflict))
    }
    if needsDigest, all.isEmpty { throw .final(.unverified(url: shown, isOneFile: isOneFile)) }
  }

  private func whole(_ head: ResponseHead) throws(AttemptFault) -> Body {
    if !takesWhole { throw .noRange("the server ignores ranges") }
    let total = try agreed(head.contentLength, isMarkup: head.isMarkup)
    return Body(range: 0..<(total ?? .max), total: total)
  }

  private func part(_ head: ResponseHead) throws(AttemptFault) -> Body {
    guard let range else { throw .noRange("the server sends a part where all was asked for") }
    guard let content = head.contentRange else {
      throw .noRange("the server does not say which bytes it sends")
    }
    guard content.bytes.lowerBound == range.lowerBound,
      content.bytes.upperBound <= range.upperBound, !content.bytes.isEmpty,
      head.contentLength == nil || head.contentLength == content.bytes.count
    else { throw .noRange("the server sends other bytes than those that were asked for") }
    if let entityTag, let sent = head.entityTag, sent != entityTag {
      throw .noRange("the file changed on the server")
    }
    guard let whole = content.total ?? total, content.bytes.upperBound <= whole,
      total == nil || total == whole
    else { throw .noRange("the file changed on the server") }
    return Body(range: content.bytes, total: try agreed(whole, isMarkup: head.isMarkup))
  }

  /// The length that the server states, if it is the one that a catalog promises, and none that is out of reach.
  private func agreed(_ length: Int?, isMarkup: Bool) throws(AttemptFault) -> Int? {
    if let length, let size, length != size {
      if isMarkup { throw page }
      throw .final(
        .corrupted(
          url: shown,
          reason:
            "the server offers \(Figures.bytes(length)) where \(Figures.grouped(size)) were promised"
        ))
    }
    if let length, length > largest {
      throw .final(
        .corrupted(
          url: shown,
          reason: "the server announces \(Figures.exactSize(length)), and such a file may have "
            + Figures.size(largest)))
    }
    return length ?? size
  }

  private func network(_ reason: ErrorText) -> AttemptFault {
    .final(.network(url: shown, reason: reason))
  }

  private func refusal(_ head: ResponseHead) -> AttemptFault {
    if let hub, let fault = hub.fault(head) { return .final(.hub(fault, page: hub.page)) }
    if isSigned(head) {
      // It has expired; the next attempt asks the origin for a fresh one.
      return .retry("the address that it redirects to is not valid any more (\(head.status))")
    }
    return switch head.status {
    case 401, 403: network(denial(head))
    case 404, 410: .final(.notOnServer(url: shown, status: head.status))
    default:
      patience(head) ?? network("the server answers \(head.status), which is of no use")
    }
  }

  /// What asks for another attempt later; nil for anything else.
  private func patience(_ head: ResponseHead) -> AttemptFault? {
    switch head.status {
    case 408: .retry("the server lost patience (408)", after: head.retryAfter)
    case 425, 429:
      .retry("the server wants fewer requests (\(head.status))", after: head.retryAfter)
    case 503: .retry("the server is busy (503)", after: head.retryAfter)
    case 500...599: .retry("the server fails (\(head.status))", after: head.retryAfter)
    default: nil
    }
  }

  /// Whether what refuses is an address that a redirect leads to for a while.
  ///
  /// A server that wants to know who asks says so at an address of its own without a query, too.
  private func isSigned(_ head: ResponseHead) -> Bool {
    guard head.url != url, [400, 401, 403, 410].contains(head.status) else { return false }
    return head.status != 401 || head.url.contains("?")
      || WebAddress(head.url)?.origin != WebAddress(url)?.origin
  }

  /// Why who asks does not get it, and whence a token would be read.
  private func denial(_ head: ResponseHead) -> ErrorText {
    let address = WebAddress(head.url)
    let words =
      head.status == 401
      ? "the server wants to know who asks (401)" : "the server does not allow it (403)"
    guard head.hadToken, let address, head.hadLogin || !head.wantsLogin else {
      return "\(words)"
        + (address?.tokenAdvice(file: head.tokenFile, isLogin: head.wantsLogin)
          ?? "\(remedy: "give a token")")
    }
    let (given, it) = head.hadLogin ? ("name and password", "them") : ("token", "that token")
    return
      "\(words), and does not take the \(given) for \(address.origin)"
      + "\(remedy: "check \(it), or ask the server's owner")"
  }
}
