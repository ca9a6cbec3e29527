import TensorFiles

extension Downloader {
  @concurrent package func document(
    _ url: String, limit: Int
  ) async throws(StoreError) -> (bytes: [UInt8], url: String) {
    let expectation = Expectation(url: url)
    // The receiver says what is wrong with one byte too many.
    let request = TransferRequest(url: url, limit: limit + 1)
    let receiver = try await receive(request, expectation, limit: limit).get()
    let found = SHA256.hex(receiver.bytes)
    for claim in receiver.digests where claim.isSHA256 && claim.digest != found {
      throw .corrupted(
        url: WebAddress.shown(url),
        reason: "it has SHA-256 \(found) where \(claim.digest) was promised by "
          + claim.voucher.rawValue)
    }
    return (receiver.bytes, receiver.url)
  }

  @concurrent package func part(
    of file: RemoteFile, range: Range<Int>
  ) async throws(StoreError) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    let expectation = Expectation(url: file.url, range: range, size: file.size)
    // A server without ranges sends all; what lies before is passed over.
    let request = TransferRequest(url: file.url, range: range, limit: range.upperBound)
    let bytes = try await receive(request, expectation, limit: range.count).get().bytes
    guard bytes.count == range.count else {
      throw .corrupted(
        url: file.shown,
        reason: "the server has \(bytes.count) bytes where \(range.count) were asked for")
    }
    return bytes
  }

  /// Whether the server has something at `url` that could be a file.
  ///
  /// - Throws: `StoreError.network` when it could not be asked.
  func exists(_ url: String) async throws(StoreError) -> Bool {
    let request = TransferRequest(url: url, range: 0..<1, limit: 1)
    let answer = try await receive(request, Expectation(url: url, range: 0..<1), limit: 1)
    // Some hosts answer "not allowed", or a page, for what they do not have.
    guard case .success(let receiver) = answer else { return false }
    return !receiver.bytes.isEmpty
  }

  /// Performs `request` until it succeeds or the server refuses for good.
  ///
  /// - Throws: `StoreError.network` after the last attempt, or `.cancelled`.
  private func receive(
    _ request: TransferRequest, _ expectation: Expectation, limit: Int
  ) async throws(StoreError) -> Result<BytesReceiver, StoreError> {
    var retry = RetryCount(policy, seconds: surroundings.seconds())
    while true {
      let receiver = BytesReceiver(expectation, limit: limit)
      var fault: AttemptFault?
      do throws(TransferFault) {
        try await transport.perform(request, receiver)
      } catch {
        fault = AttemptFault(error, url: request.url)
      }
      let (reason, after): (String, Double?)
      switch fault {
      case nil, .enough: return .success(receiver)
      case .interrupted: throw .cancelled
      case .final(let error): return .failure(error)
      case .retry(let words, let seconds): (reason, after) = (words, seconds)
      case .nobody(let words), .noRange(let words): (reason, after) = (words, nil)
      case .beyondTheEnd: (reason, after) = ("the server has fewer bytes than expected", nil)
      }
      let isLocal = if case .nobody = fault { true } else { false }
      guard
        let wait = retry.wait(
          after: after, seconds: surroundings.seconds(), random: surroundings.random(),
          isLocal: isLocal)
      else {
        throw .network(
          url: WebAddress.shown(request.url),
          reason: "\(reason); gave up after \(retry.failures) attempts")
      }
      await surroundings.sleep(wait)
      if Task.isCancelled { throw .cancelled }
    }
  }
}
