import Synchronization
import SystemFiles

/// Takes a small answer into memory.
final class BytesReceiver: TransferReceiver {
  private struct State {
    var bytes: [UInt8] = []
    var head: ResponseHead?
    /// Bytes of the body to pass over, where all came instead of a part.
    var skip = 0
  }

  private let expectation: Expectation
  private let limit: Int
  private let waits: @Sendable (_ host: String) -> Void
  private let state = Mutex(State())

  init(
    _ expectation: Expectation, limit: Int,
    waits: @escaping @Sendable (_ host: String) -> Void = { _ in }
  ) {
    self.expectation = expectation
    self.limit = limit
    self.waits = waits
  }

  func wait(for host: String) { waits(host) }

  var bytes: [UInt8] { state.withLock(\.bytes) }
  /// Address that the answer came from in the end.
  var url: String { state.withLock(\.head?.url) ?? expectation.url }

  var head: ResponseHead? { state.withLock(\.head) }

  /// What the head said of the digest of the whole.
  var digests: [DigestClaim] { state.withLock(\.head?.digests) ?? [] }

  func receive(_ head: ResponseHead) throws {
    let body = try expectation.judge(head)
    if expectation.range == nil, let total = body.total, total > limit { throw tooLarge }
    try expectation.checkDigests(head, known: [])
    state.withLock { state in
      state.head = head
      state.skip = max(0, (expectation.range?.lowerBound ?? 0) - body.range.lowerBound)
    }
  }

  func receive(_ bytes: RawSpan) throws {
    try state.withLock { state in
      if state.bytes.isEmpty, !expectation.takesRefusals, expectation.range?.lowerBound ?? 0 == 0,
        let head = state.head
      {
        try expectation.checkStart(bytes, head)
      }
      let skipped = min(state.skip, bytes.byteCount)
      state.skip -= skipped
      let count = min(bytes.byteCount - skipped, limit - state.bytes.count)
      state.bytes.append(copying: bytes.extracting(skipped..<skipped + count))
      if state.bytes.count == limit, expectation.range != nil { throw AttemptFault.enough }
      guard skipped + count == bytes.byteCount else {
        throw tooLarge
      }
    }
  }

  private var tooLarge: AttemptFault {
    .final(
      .invalidCatalog(
        url: WebAddress.shown(expectation.url),
        reason: "it has more than \(Figures.size(limit)), which are allowed"))
  }
}
