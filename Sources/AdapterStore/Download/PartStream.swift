import FoundationEssentials
import Synchronization
import SystemFiles

/// One response on its way into a partial download: checks the head, writes and digests the body as it comes.
final class PartStream: TransferReceiver {
  private struct State: ~Copyable {
    /// Where the next byte goes.
    var position = 0
    /// Where this stream ends; nil until the head has come.
    var end: Int?
    /// First byte that the journal does not tell of.
    var unlogged = 0
    /// Digest of the chunk from its start to `position`.
    var digest = SHA256()
    /// Whether the end was brought forward, so that bytes beyond it are no fault.
    var isShortened = false
    var head: ResponseHead?
    /// Whether it may be a web page, for which what is there is not given up.
    var isHeld = false
  }

  private let partial: PartialFile
  private let expectation: Expectation
  private let now: @Sendable () -> Date
  private let moved: @Sendable () -> Void
  private let waits: @Sendable (_ host: String) -> Void
  private let state = Mutex(State())
  /// Gives one element when the head was accepted, and ends with it.
  let accepted: AsyncStream<Void>
  private let accept: AsyncStream<Void>.Continuation

  /// Bytes after which the journal is told.
  private static let logInterval = 256 << 10

  init(
    _ partial: PartialFile, _ expectation: Expectation, now: @escaping @Sendable () -> Date,
    moved: @escaping @Sendable () -> Void,
    waits: @escaping @Sendable (_ host: String) -> Void = { _ in }
  ) {
    self.partial = partial
    self.expectation = expectation
    self.now = now
    (self.moved, self.waits) = (moved, waits)
    (accepted, accept) = AsyncStream.makeStream()
  }

  func receive(_ head: ResponseHead) throws {
    let (body, now) = (try expectation.judge(head), now())
    try expectation.checkDigests(head, known: head.status == 200 ? [] : partial.claims)
    try state.withLock { state in
      if head.status == 200 {
        try checkRoom(body.total)
        state.isHeld = head.isMarkup
        if !state.isHeld { try startAnew(head, body.total, now) }
      } else {
        partial.note(head.digests)
      }
      if head.status != 200, partial.total == nil, let total = body.total {
        try partial.settle(total: total, now: now)
      }
      state.head = head
      state.position = body.range.lowerBound
      state.unlogged = body.range.lowerBound
      state.end = body.range.upperBound
      state.digest = try digest(before: body.range.lowerBound)
    }
    moved()
    accept.yield()
    accept.finish()
  }

  func receive(_ bytes: RawSpan) throws {
    let now = now()
    try state.withLock { state in
      guard let end = state.end else { throw AttemptFault.noRange("a body without a head") }
      if state.position == 0, let head = state.head {
        try expectation.checkStart(bytes, head)
        if state.isHeld { try startAnew(head, end == .max ? nil : end, now) }
        state.isHeld = false
      }
      let count = min(bytes.byteCount, end - state.position)
      if end == .max, state.position + count > expectation.largestUnannounced {
        throw expectation.endless
      }
      try take(bytes.extracting(0..<count), &state)
      guard count == bytes.byteCount else {
        throw state.isShortened
          ? AttemptFault.enough
          : .noRange("the server sends more bytes than it announced")
      }
    }
    moved()
  }

  func wait(for host: String) { waits(host) }

  /// Ends the stream: what came is written down, and the fault named where bytes are missing.
  func finish(_ fault: AttemptFault?) -> AttemptFault? {
    accept.finish()
    let now = now()
    return state.withLock { state in
      partial.log(received: state.unlogged..<state.position)
      state.unlogged = state.position
      guard let end = state.end, !state.isHeld else {
        return fault ?? .retry("the server answers nothing")
      }
      switch fault {
      case .final, .noRange: return fault
      default: if state.position == end { return nil }
      }
      if let fault { return fault }
      guard end == .max else { return .retry("the server closed the connection early") }
      return settle(&state, now)
    }
  }

  /// The bytes that this stream has still to bring, if others may take part of them.
  func divisible() -> (rest: Range<Int>, total: Int, entityTag: String)? {
    state.withLock { state in
      guard !state.isHeld, let head = state.head, let end = state.end, let total = partial.total,
        let tag = head.strongTag, head.status == 206 || head.acceptsRanges
      else { return nil }
      return (state.position..<end, total, tag)
    }
  }

  /// Brings the end forward to `end`; false when the stream is beyond that already.
  func shorten(to end: Int) -> Bool {
    state.withLock { state in
      guard let old = state.end, state.position <= end, end <= old else { return false }
      state.end = end
      state.isShortened = true
      return true
    }
  }

  private func startAnew(
    _ head: ResponseHead, _ total: Int?, _ now: Date
  ) throws(FileError) {
    try partial.reset(entityTag: head.strongTag, total: total, claims: head.digests, now: now)
  }

  /// Compares what is announced with what the disk has room for, before a byte of it comes.
  private func checkRoom(_ total: Int?) throws(AttemptFault) {
    guard let total, let room = partial.room, room < total else { return }
    throw .final(
      .noRoom(
        url: WebAddress.shown(expectation.url), needed: total, free: room,
        path: FilePath.parent(of: FilePath.parent(of: partial.ingest.path))))
  }

  private func take(_ bytes: RawSpan, _ state: inout State) throws(FileError) {
    var start = 0
    while start < bytes.byteCount {
      let chunk = state.position / FileRecord.chunkSize
      let chunkEnd = (chunk + 1) * FileRecord.chunkSize
      let count = min(bytes.byteCount - start, chunkEnd - state.position)
      let piece = bytes.extracting(start..<start + count)
      try partial.write(piece, at: state.position)
      state.digest.update(piece)
      state.position += count
      start += count
      if state.position == chunkEnd || state.position == partial.total {
        closeChunk(chunk, &state)
      }
    }
    if state.position - state.unlogged >= Self.logInterval {
      partial.log(received: state.unlogged..<state.position)
      state.unlogged = state.position
    }
  }

  private func closeChunk(_ index: Int, _ state: inout State) {
    var digest = SHA256()
    swap(&digest, &state.digest)
    partial.log(chunk: index, digest: digest.finishHex())
  }

  /// A body without a length has ended: that is the length.
  private func settle(_ state: inout State, _ now: Date) -> AttemptFault? {
    do throws(FileError) {
      try partial.settle(total: state.position, now: now)
      let chunk = state.position / FileRecord.chunkSize
      if state.position > chunk * FileRecord.chunkSize { closeChunk(chunk, &state) }
      state.end = state.position
      return nil
    } catch {
      return .final(.storage(error))
    }
  }

  /// Digest of what is on the disk of the chunk that `position` is in.
  private func digest(before position: Int) throws(FileError) -> SHA256 {
    var digest = SHA256()
    var next = position / FileRecord.chunkSize * FileRecord.chunkSize
    while next < position {
      let bytes = try partial.read(next..<min(next + (1 << 20), position))
      guard !bytes.isEmpty else { throw .changed(path: partial.dataPath) }
      digest.update(bytes)
      next += bytes.count
    }
    return digest
  }
}
