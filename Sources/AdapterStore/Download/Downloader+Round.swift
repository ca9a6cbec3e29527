extension Downloader {
  /// How a round of streams ended.
  struct RoundEnd: Sendable {
    /// Why bytes are missing that the first stream was to bring.
    var fault: AttemptFault?
    /// False when additional streams met with any difficulty.
    var isSteady = true
  }

  private enum Event: Sendable {
    case ended(AttemptFault?, isMain: Bool)
    case divide
  }

  /// Asks for what is missing: by one stream, which is divided when it takes long and the server is steady with ranges.
  func round(_ job: FetchJob, _ course: FetchCourse) async -> RoundEnd {
    let ranges = openRanges(job, course)
    let isAlone = ranges.count == 1
    return await withTaskGroup(of: Event.self) { group in
      var end = RoundEnd()
      var running = 0
      func start(_ range: Range<Int>?, tag: String?, isMain: Bool) -> PartStream {
        let (request, stream) = stream(job, range, tag: tag, takesWhole: isMain && isAlone)
        group.addTask { .ended(await run(request, stream), isMain: isMain) }
        running += 1
        return stream
      }
      let tag = job.partial.entityTag
      let main = start(ranges[0], tag: tag, isMain: true)
      for range in ranges.dropFirst() { _ = start(range, tag: tag, isMain: false) }
      if isAlone && course.isParallel && course.rangeFaults == 0 {
        group.addTask {
          for await _ in main.accepted { await surroundings.sleep(policy.parallelDelay) }
          return .divide
        }
      }
      while running > 0, let event = await group.next() {
        switch event {
        case .divide:
          for part in divide(main) {
            _ = start(part.range, tag: part.entityTag, isMain: false)
          }
        case .ended(let fault, let isMain):
          running -= 1
          if let fault { note(fault, isMain, &end) }
          if case .final = end.fault { group.cancelAll() }
        }
      }
      group.cancelAll()
      return end
    }
  }

  private func note(_ fault: AttemptFault, _ isMain: Bool, _ end: inout RoundEnd) {
    switch fault {
    case .final(let error) where error.code == .storage: end.fault = end.fault ?? fault
    case .interrupted: end.fault = end.fault ?? fault
    case _ where isMain: end.fault = fault
    default: end.isSteady = false
    }
  }

  /// The ranges to ask for; nil stands for all bytes.
  private func openRanges(_ job: FetchJob, _ course: FetchCourse) -> [Range<Int>?] {
    let partial = job.partial
    let canResume = partial.entityTag != nil || job.file.sha256 != nil
    guard partial.received > 0, canResume, !course.asksWhole, course.rangeFaults < 2 else {
      return [nil]
    }
    let missing = partial.missing
    let isLarge = (partial.total ?? 0) >= policy.parallelSize && partial.entityTag != nil
    return Array(missing.prefix(isLarge && course.isParallel ? policy.streams : 1))
  }

  private func stream(
    _ job: FetchJob, _ range: Range<Int>?, tag: String?, takesWhole: Bool
  ) -> (TransferRequest, PartStream) {
    var range = range
    if let open = range, open.upperBound == .max {
      range = open.lowerBound..<open.lowerBound + policy.largestFile
    }
    let expectation = Expectation(
      url: job.file.url, range: range, entityTag: tag, total: job.partial.total,
      size: job.file.size, largest: largest(job.file),
      largestUnannounced: job.file.size ?? policy.largestUnannounced, claims: job.file.claims,
      needsDigest: job.file.needsDigest, isOneFile: job.file.path == StoreLayout.model,
      takesWhole: takesWhole, hub: job.file.hub)
    // An answer may be all bytes instead of the range.
    let limit = takesWhole ? largest(job.file) : range?.count ?? largest(job.file)
    var request = TransferRequest(
      url: job.file.url, range: range, ifRange: range == nil ? nil : tag, limit: limit)
    request.isFresh = job.isFresh
    // While others bring bytes, nobody needs to know that one does not.
    let stream = PartStream(
      job.partial, expectation, now: process.now, moved: { job.tell() },
      waits: { if takesWhole { job.wait(for: $0) } })
    return (request, stream)
  }

  /// Bytes that a file may have at most.
  private func largest(_ file: RemoteFile) -> Int {
    if let size = file.size { return size }
    return file.path.hasSuffix("metadata.json") ? policy.largestMetadata : policy.largestFile
  }

  private func run(_ request: TransferRequest, _ stream: PartStream) async -> AttemptFault? {
    do throws(TransferFault) {
      try await transport.perform(request, stream)
      return stream.finish(nil)
    } catch {
      return stream.finish(AttemptFault(error, url: request.url))
    }
  }

  /// Takes most of what `main` has still to bring away from it, for other streams.
  private func divide(_ main: PartStream) -> [(range: Range<Int>, entityTag: String)] {
    guard let (rest, total, entityTag) = main.divisible(), total >= policy.parallelSize,
      rest.upperBound != .max
    else { return [] }
    let parts = Self.parts(of: rest, count: policy.streams)
    guard parts.count > 1, main.shorten(to: parts[0].upperBound) else { return [] }
    return parts.dropFirst().map { ($0, entityTag) }
  }

  /// `rest` in about equal parts that begin at chunks, so that each chunk is digested in order by one stream.
  static func parts(of rest: Range<Int>, count: Int) -> [Range<Int>] {
    let chunk = FileRecord.chunkSize
    var parts: [Range<Int>] = []
    var start = rest.lowerBound
    for index in 1...count {
      let share = rest.lowerBound + rest.count / count * index
      let end = index == count ? rest.upperBound : (share + chunk / 2) / chunk * chunk
      guard end > start, end <= rest.upperBound else { continue }
      parts.append(start..<end)
      start = end
    }
    return parts
  }
}
