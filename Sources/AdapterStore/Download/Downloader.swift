import Dispatch
import FoundationEssentials
import Glibc
import SystemFiles

/// Downloads that go on from where they were cut, and are always right.
///
/// Every byte is checked twice: what comes from the network is digested by chunks of 8 MiB on its way to the disk,
/// and the whole is read back from there and digested before the file is handed over.
struct Downloader: Downloading {
  let transport: any Transferring
  let layout: StoreLayout
  let process: ProcessFacts
  let policy: DownloadPolicy
  let surroundings: DownloadSurroundings
  /// What its transport knows of registries, so that errors can say which login was of no use.
  var registryLogins: RegistryLogins?

  /// A downloader for the store at `root`.
  init(
    root: String, transport: any Transferring, process: ProcessFacts = ProcessFacts(),
    policy: DownloadPolicy = DownloadPolicy(),
    surroundings: DownloadSurroundings = DownloadSurroundings()
  ) {
    self.transport = transport
    self.process = process
    self.policy = policy
    self.surroundings = surroundings
    layout = StoreLayout(root: root)
  }

  @concurrent func download(
    _ file: RemoteFile, to target: String, control: DownloadControl,
    progress: @escaping @Sendable (DownloadProgress) -> Void
  ) async throws(StoreError) -> DownloadedFile {
    let (result, partial) = try await complete(file, for: target, control, progress) {
      partial throws(FileError) in
      try FileSystem.rename(partial.dataPath, to: target)
      try FileSystem.confirm(target)
    }
    partial.remove()
    return result
  }

  /// Brings `file` to the disk, whole and verified, and calls `place`, which puts it where it belongs; what holds it is
  /// still there then, on the disk of `target`.
  ///
  /// - Throws: as ``download(_:to:control:progress:)``.
  func complete(
    _ file: RemoteFile, for target: String, _ control: DownloadControl,
    _ progress: @escaping @Sendable (DownloadProgress) -> Void,
    place: (PartialFile) throws(FileError) -> Void
  ) async throws(StoreError) -> (DownloadedFile, PartialFile) {
    precondition(file.sha256.map(isSHA256) ?? true, "a digest is 64 lowercase digits")
    // Before anything is drawn that it would stand in the midst of.
    tellOfUseless(file)
    let meter = ProgressMeter(file, seconds: surroundings.seconds, report: progress)
    meter.wait("connecting to \(WebAddress.place(of: file.url))")
    var (damages, losses) = (0, 0)
    while true {
      let partial = try storing { () throws(FileError) in
        try PartialFile.open(file, in: layout, for: target, process)
      }
      let job = FetchJob(
        file: file, partial: partial, control: control, meter: meter, isFresh: damages > 0)
      switch try await attempt(job, place) {
      case .done(let record):
        partials.clear(file)
        let result = DownloadedFile(
          record: record, entityTag: partial.entityTag,
          vouchers: (file.claims + partial.claims).vouchers)
        return (result, partial)
      case .lost:
        losses += 1
        if losses == 3 { throw .busy(path: partial.path) }
      case .damaged(let reason):
        // Once may be an accident on the way, or a cache that has other bytes; twice is not.
        damages += 1
        if damages == 2 { throw .corrupted(url: file.shown, reason: reason) }
        meter.wait("what came is damaged; fetching it again", received: 0)
      }
    }
  }

  private var partials: PartialDownloads {
    PartialDownloads(collector: IngestCollector(layout, process))
  }

  /// Says that what has come of the address is not gone on with, as another digest was promised and the server has no name
  /// for its version.
  private func tellOfUseless(_ file: RemoteFile) {
    let idle = ((try? partials.idle(file)) ?? []).filter { $0.received > 0 }
    guard !idle.contains(where: { $0.entry.state.serves(file) }),
      let (entry, received) = idle.first, let digest = entry.state.sha256
    else { return }
    surroundings.tell(
      file.shown,
      "\(Figures.size(received)) that had come were of SHA-256 \(digest), so that it starts anew")
  }

  private enum Ending {
    case done(FileRecord)
    /// Another process has taken the partial over.
    case lost
    case damaged(String)
  }

  /// Fetches what is missing, reads all of it back, and has it placed.
  private func attempt(
    _ job: FetchJob, _ place: (PartialFile) throws(FileError) -> Void
  ) async throws(StoreError) -> Ending {
    let partial = job.partial
    do throws(StoreError) {
      try await fetch(job)
      job.meter.update(received: partial.received, total: partial.total, always: true)
      let ending = try handOver(job.file, partial, place)
      if case .done = ending { return ending }
      partial.remove()
      return ending
    } catch {
      // What does not belong to the promised file is of no use to the next attempt either.
      if error.code == .corrupted, let reason = error.reason?.problem {
        let isOther = partial.received == 0 && job.file.sha256 != nil
        partial.remove()
        // By its head alone it is not what was promised: a cache may have what was there before.
        if isOther, !job.isFresh { return .damaged(reason) }
      } else {
        partial.release(now: process.now())
      }
      throw error
    }
  }

  private func handOver(
    _ file: RemoteFile, _ partial: PartialFile,
    _ place: (PartialFile) throws(FileError) -> Void
  ) throws(StoreError) -> Ending {
    do throws(FileError) {
      try partial.sync()
      let record = try FileRecord(path: file.path, file: partial.dataPath, fromDisk: true)
      if let reason = try Self.difference(record, file, partial) { return .damaged(reason) }
      try place(partial)
      return .done(record)
    } catch {
      if case .system(_, partial.dataPath, ENOENT) = error { return .lost }
      throw .storage(error)
    }
  }

  /// What is wrong with the file on the disk, if anything is.
  private static func difference(
    _ record: FileRecord, _ file: RemoteFile, _ partial: PartialFile
  ) throws(FileError) -> String? {
    if let size = file.size, size != record.size {
      return
        "\(file.path) has \(Figures.bytes(record.size)) where \(Figures.grouped(size)) were promised"
    }
    for claim in file.claims + partial.claims {
      if let reason = try claim.mismatch(record, at: partial.dataPath) { return reason }
    }
    for (index, digest) in partial.chunks
    where !record.chunks.indices.contains(index) || record.chunks[index] != digest {
      return "\(file.path) reads back from the disk otherwise than it came, in chunk \(index)"
    }
    return nil
  }
}

/// How patient downloads are, and how large things may get.
struct DownloadPolicy: Sendable, Equatable {
  /// Attempts without progress before it is given up.
  var attempts = 6
  /// As many where nothing listens at a port of this machine: the system answers that at once.
  var localAttempts = 3
  /// As many for a small answer where the server says nothing: whoever waits for it may see nothing meanwhile.
  var silentAttempts = 3
  /// New bytes after which the attempts are counted anew.
  var progress = 64 << 10
  /// Seconds before the second attempt; each further one waits twice as long.
  var firstDelay = 0.25
  /// Seconds that no wait is longer than, unless the server asks for more.
  var longestDelay = 30.0
  /// Seconds that a server may ask to wait.
  var longestRetryAfter = 300.0
  /// Seconds from which a wait for a small answer is told of.
  var silence = 5.0
  /// Seconds without progress, waits included, after which it is given up.
  var patience = 1200.0
  /// Streams that fetch parts of one file at once.
  var streams = 4
  /// Bytes from which a file is worth more than one stream.
  var parallelSize = 32 << 20
  /// Seconds after which a download that is not done gets more streams.
  var parallelDelay = 1.0
  /// Bytes that a file may have whose size no catalog tells.
  var largestFile = 1 << 38
  /// Bytes that a file may have whose size its server does not tell either.
  var largestUnannounced = 1 << 34
  /// Bytes of a `metadata.json`.
  var largestMetadata = 8 << 20
  /// Seconds for which a partial download is kept for the next attempt.
  static let partialLifetime = 7 * 86400
}

/// What a download asks of the world; tests put their own in its place.
struct DownloadSurroundings: Sendable {
  /// Seconds of a clock that only goes forward.
  var seconds: @Sendable () -> Double
  /// Waits for so many seconds, less when the task is cancelled.
  var sleep: @Sendable (Double) async -> Void
  /// A random number, 0 up to 1.
  var random: @Sendable () -> Double
  /// Asks for the lock on a path.
  ///
  /// It only saves work: nothing correct depends on it.
  var lock: @Sendable (_ path: String) -> LockAttempt
  /// Told of each longer wait before a small answer, such as a catalog, is asked for again; what a download waits for is part
  /// of its progress.
  var tell: @Sendable (_ url: String, _ words: String) -> Void = { _, _ in }

  /// The real ones; waits are `scale` times as long as they would be.
  init(scale: Double = 1) {
    seconds = { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
    sleep = { try? await Task.sleep(for: .seconds($0 * scale)) }
    random = { Double.random(in: 0..<1) }
    lock = { LockAttempt(path: $0) }
  }
}
