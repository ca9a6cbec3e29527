import SystemFiles

extension Downloader {
  @concurrent func document(
    _ url: String, limit: Int
  ) async throws(StoreError) -> (bytes: [UInt8], url: String) {
    try await document(url, limit: limit, hub: nil)
  }

  /// As above, from a hub that is asked for `hub`.
  @concurrent func document(
    _ url: String, limit: Int, hub: HubRequest?
  ) async throws(StoreError) -> (bytes: [UInt8], url: String) {
    var expectation = Expectation(url: url)
    expectation.hub = hub
    // The receiver says what is wrong with one byte too many.
    let request = TransferRequest(url: url, isSmall: true, limit: limit + 1)
    let receiver = try await receive(request, expectation, limit: limit).get()
    let found = SHA256.hex(receiver.bytes)
    for claim in receiver.digests where claim.isSHA256 && claim.digest != found {
      throw .corrupted(
        url: WebAddress.shown(url),
        reason: "it has SHA-256 \(found) where \(claim.digest) was promised by "
          + claim.voucher.words)
    }
    return (receiver.bytes, receiver.url)
  }

  @concurrent func part(
    of file: RemoteFile, range: Range<Int>
  ) async throws(StoreError) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    let expectation = Expectation(url: file.url, range: range, size: file.size)
    // A server without ranges sends all; what lies before is passed over.
    var request = TransferRequest(url: file.url, range: range, limit: range.upperBound)
    request.isFresh = true
    let bytes = try await receive(request, expectation, limit: range.count).get().bytes
    guard bytes.count == range.count else {
      throw .corrupted(
        url: file.shown,
        reason:
          "the server has \(Figures.bytes(bytes.count)) where \(Figures.grouped(range.count)) were asked for"
      )
    }
    return bytes
  }

  /// Whether the server has something at `url` that could be a file.
  ///
  /// - Throws: `StoreError.network` when it could not be asked.
  func exists(_ url: String) async throws(StoreError) -> Bool {
    let request = TransferRequest(url: url, range: 0..<1, isSmall: true, limit: 1)
    let answer = try await receive(request, Expectation(url: url, range: 0..<1), limit: 1)
    // Some hosts answer "not allowed", or a page, for what they do not have.
    guard case .success(let receiver) = answer else { return false }
    return !receiver.bytes.isEmpty
  }

  /// Performs `request` until it succeeds or the server refuses for good.
  ///
  /// - Throws: `StoreError.network` after the last attempt, or `.cancelled`.
  func receive(
    _ request: TransferRequest, _ expectation: Expectation, limit: Int, attempts: Int? = nil
  ) async throws(StoreError) -> Result<BytesReceiver, StoreError> {
    var retry = RetryCount(policy, seconds: surroundings.seconds())
    let tell = teller(request.url)
    while true {
      let isFirst = retry.failures == 0
      let receiver = BytesReceiver(expectation, limit: limit) { if isFirst { tell($0) } }
      var fault: AttemptFault?
      do throws(TransferFault) {
        try await transport.perform(request, receiver)
      } catch {
        fault = AttemptFault(error, url: request.url)
      }
      let (reason, after): (ErrorText, Double?)
      switch fault {
      case nil, .enough: return .success(receiver)
      case .interrupted: throw .cancelled
      case .final(let error): return .failure(error)
      case .retry(let words, let seconds): (reason, after) = (words, seconds)
      case .nobody(let words), .silent(let words), .noRange(let words):
        (reason, after) = (words, nil)
      case .beyondTheEnd: (reason, after) = ("the server has fewer bytes than expected", nil)
      }
      guard
        let wait = retry.wait(
          after: after, seconds: surroundings.seconds(), random: surroundings.random(),
          attempts: attempts ?? self.attempts(after: fault))
      else {
        throw .network(
          url: WebAddress.shown(request.url),
          reason: "\(reason); gave up after \(Figures.count(retry.failures, "attempt"))")
      }
      if wait >= policy.silence {
        surroundings.tell(
          WebAddress.shown(request.url), "\(reason.problem), again in \(Figures.wait(wait))")
      }
      await surroundings.sleep(wait)
      if Task.isCancelled { throw .cancelled }
    }
  }

  /// Fewer than usual where more of them would bring nothing but silence.
  private func attempts(after fault: AttemptFault?) -> Int? {
    switch fault {
    case .nobody: policy.localAttempts
    case .silent: policy.silentAttempts
    default: nil
    }
  }

  /// Tells that a server says nothing, where no progress does.
  func teller(_ url: String) -> @Sendable (_ host: String) -> Void {
    { surroundings.tell(WebAddress.shown(url), "waiting for \($0)") }
  }
}

extension Downloader {
  /// Whether what `receipt` tells of is what there is: by the digests of `files` where they are known, else by
  /// asking the server at `address`, as the receipt's own may lack a signature.
  ///
  /// `claims` is what is published beside the files now. A server's tag names a version of its file, not the bytes that
  /// came: it counts for those alone that something vouched for, or, where `isJoint`, that another process has brought
  /// while this one waited.
  func isCurrent(
    _ receipt: Receipt, files: [RemoteFile], claims: [String: [DigestClaim]] = [:],
    isJoint: Bool = false, address: (FileSource) -> String
  ) async -> Bool {
    if !files.isEmpty {
      let installed = Dictionary(
        receipt.files.map { ($0.path, $0.sha256) }, uniquingKeysWith: { first, _ in first })
      return files.count == receipt.files.count
        && files.allSatisfy { $0.sha256 != nil && installed[$0.path] == $0.sha256 }
    }
    guard let sources = receipt.sources, sources.count == receipt.files.count else { return false }
    for source in sources {
      let record = receipt.files.first { $0.path == source.path }
      let known = (claims[source.path] ?? []).filter(\.isSHA256)
      guard known.allSatisfy({ $0.digest == record?.sha256 }),
        !known.isEmpty || !receipt.isUnverified(source) || isJoint,
        await isUnchanged(
          address(source), entityTag: source.entityTag, size: record?.size, sha256: record?.sha256)
          == true
      else { return false }
    }
    return true
  }

  /// Whether the server has still the version that `entityTag` and `size` tell of, at the price of one byte.
  ///
  /// - Returns: nil when that cannot be found out.
  func isUnchanged(
    _ url: String, entityTag: String?, size: Int?, sha256: String? = nil
  ) async -> Bool? {
    guard let entityTag, let size, size > 0 else { return nil }
    let request = TransferRequest(
      url: url, range: 0..<1, ifRange: entityTag, isSmall: true, limit: 1)
    let expectation = Expectation(
      url: url, range: 0..<1, entityTag: entityTag, total: size, takesWhole: false)
    let receiver = BytesReceiver(expectation, limit: 1, waits: teller(url))
    // The tag may be the old one where the bytes are not.
    func isOther() -> Bool {
      receiver.digests.contains { $0.isSHA256 && sha256 != nil && $0.digest != sha256 }
    }
    do throws(TransferFault) {
      try await transport.perform(request, receiver)
      return !isOther()
    } catch {
      return switch AttemptFault(error, url: url) {
      case .enough: !isOther()
      case .noRange: false
      default: nil
      }
    }
  }
}
