import SystemFiles

/// What belongs to the download of one file.
struct FetchJob: Sendable {
  let file: RemoteFile
  let partial: PartialFile
  let control: DownloadControl
  let meter: ProgressMeter
  /// Whether caches on the way are not to answer with what they have.
  var isFresh = false

  func tell() { meter.update(received: partial.received, total: partial.total) }

  func wait(for host: String) {
    meter.wait("waiting for \(host)", received: partial.received)
  }
}

/// How a download asks, by what the server has shown so far.
struct FetchCourse: Sendable {
  /// The next request is for all bytes, whatever is there.
  var asksWhole = false
  /// Answers to ranges that were of no use.
  var rangeFaults = 0
  /// Whether several streams have done no harm yet.
  var isParallel = true
}

extension Downloader {
  /// Brings all bytes of the file into the partial, however many attempts that takes.
  func fetch(_ job: FetchJob) async throws(StoreError) {
    var course = FetchCourse()
    var retry = RetryCount(
      policy, received: job.partial.received, seconds: surroundings.seconds())
    if job.partial.isComplete { await revalidate(job, &course) }
    while course.asksWhole || !job.partial.isComplete {
      if job.control.isPaused { job.meter.wait("paused", received: job.partial.received) }
      try await job.control.pass()
      let now = course
      let end = await job.control.interruptible { await round(job, now) }
      course.asksWhole = false
      course.isParallel = course.isParallel && end.isSteady
      retry.note(received: job.partial.received, seconds: surroundings.seconds())
      if let fault = end.fault { try await answer(fault, job, &course, &retry) }
    }
  }

  /// What is done about a fault before the next attempt.
  private func answer(
    _ fault: AttemptFault, _ job: FetchJob, _ course: inout FetchCourse, _ retry: inout RetryCount
  ) async throws(StoreError) {
    switch fault {
    case .final(let error): throw error
    case .enough: break
    case .interrupted:
      if job.control.isPaused || job.control.isCancelled || Task.isCancelled { return }
      try await wait("interrupted", after: nil, job, &retry)
    case .retry(let reason, let after):
      try await wait(reason, after: after, job, &retry)
    case .silent(let reason): try await wait(reason, after: nil, job, &retry)
    case .nobody(let reason):
      try await wait(reason, after: nil, attempts: policy.localAttempts, job, &retry)
    case .noRange(let reason):
      course.rangeFaults += 1
      course.asksWhole = true
      try await wait(reason, after: nil, job, &retry)
    case .beyondTheEnd:
      if try settle(job) { return }
      course.asksWhole = true
      try await wait("the server has fewer bytes than expected", after: nil, job, &retry)
    }
  }

  /// Waits before the next attempt, or gives up.
  private func wait(
    _ reason: ErrorText, after asked: Double?, attempts: Int? = nil, _ job: FetchJob,
    _ retry: inout RetryCount
  ) async throws(StoreError) {
    let wait = retry.wait(
      after: asked, seconds: surroundings.seconds(), random: surroundings.random(),
      attempts: attempts)
    guard var left = wait else {
      throw .network(
        url: job.file.shown,
        reason: "\(reason); gave up after \(retry.failures) attempts without progress"
          + "\(remedy: "the next installation goes on from here")")
    }
    while left > 0, !job.control.isPaused, !job.control.isCancelled, !Task.isCancelled {
      let words = "\(reason), again in \(Figures.wait(left))"
      job.meter.wait(words, received: job.partial.received)
      let slice = min(left, 1)
      await job.control.interruptible { await surroundings.sleep(slice) }
      left -= slice
    }
  }

  /// The server has nothing beyond what is there: whether that is all there is.
  private func settle(_ job: FetchJob) throws(StoreError) -> Bool {
    guard let promised = job.file.sha256 else { return false }
    return try storing { () throws(FileError) in
      let received = job.partial.received
      guard job.partial.missing.first?.lowerBound == received else { return false }
      try job.partial.settle(total: received, now: process.now())
      let record = try FileRecord(path: job.file.path, file: job.partial.dataPath)
      return record.sha256 == promised
    }
  }

  /// A partial from an earlier time that is complete is used only if a digest decides in the end, or the server still
  /// has the same.
  private func revalidate(_ job: FetchJob, _ course: inout FetchCourse) async {
    guard job.file.sha256 == nil else { return }
    let isSame = await isUnchanged(
      job.file.url, entityTag: job.partial.entityTag, size: job.partial.total)
    course.asksWhole = isSame != true
  }
}
