import Kernels
import Synchronization
import SystemFiles

/// Reads one entry from the disk and compares it with its receipt, with several threads.
struct EntryVerifier: Sendable {
  let entry: StoreEntry
  let receipt: Receipt
  /// Threads that read at once.
  let width: Int
  /// Told the bytes of each part that was read.
  let read: @Sendable (Int) -> Void

  /// Everything that is wrong, and how many bytes were read.
  ///
  /// - Throws: `StoreError.cancelled`, or `.storage` when the system is out of descriptors or memory.
  func run() async throws(StoreError) -> EntryVerification {
    var damage: [[Damage]] = []
    var jobs: [ChunkJob] = []
    for record in receipt.files {
      do throws(FileError) {
        let (found, more) = try open(record, damage.count)
        damage.append(found)
        jobs += more
      } catch {
        damage.append([try unreadable(record.path, error)])
      }
    }
    let outcomes = await ChunkQueue(jobs: jobs, read: read).run(width: width)
    for (job, outcome) in zip(jobs, outcomes) {
      switch outcome {
      case .right: break
      case .wrong:
        damage[job.file].append(Damage(.changed, receipt.files[job.file].path, job.range))
      case .cancelled: throw .cancelled
      case .failed(let error):
        damage[job.file].append(try unreadable(receipt.files[job.file].path, error, job.range))
      }
    }
    let (extras, closed) = try extras()
    // Of a folder that may not be read one line is enough.
    let seen = damage.flatMap(Self.joined).filter { damage in
      damage.kind != .denied || !closed.contains { damage.file.hasPrefix($0.file + "/") }
    }
    return EntryVerification(
      entry: entry, bytes: jobs.reduce(0) { $0 + $1.range.count },
      unverified: receipt.unverified.map(\.path), damage: seen + extras + closed)
  }

  /// What can be seen at once, and the parts that have to be read.
  private func open(
    _ record: FileRecord, _ index: Int
  ) throws(FileError) -> (damage: [Damage], jobs: [ChunkJob]) {
    let path = FilePath.join(entry.path, record.path)
    guard let info = try FileSystem.info(path) else {
      return ([Damage(.missing, record.path, 0..<record.size)], [])
    }
    // A link may lead to the right bytes today.
    guard info.kind == .file else { throw .notRegular(path: path) }
    let reader = try FileReader(path: path)
    reader.forget()
    var damage: [Damage] = []
    var jobs: [ChunkJob] = []
    for (range, digest) in zip(record.ranges, record.chunks) {
      if range.upperBound <= reader.size {
        jobs.append(ChunkJob(file: index, range: range, digest: digest, reader: reader))
      } else {
        damage.append(Damage(.changed, record.path, range))
      }
    }
    if reader.size > record.size {
      damage.append(Damage(.longer, record.path, record.size..<reader.size))
    }
    return (damage, jobs)
  }

  /// A file that cannot be read is damaged; a system that is out of resources says nothing about the file.
  private func unreadable(
    _ file: String, _ error: FileError, _ range: Range<Int>? = nil
  ) throws(StoreError) -> Damage {
    if let denied = Damage(denied: error, in: entry.path) { return denied }
    if error.isShortage { throw .storage(error) }
    switch error {
    case .system(_, _, let code):
      return Damage(.unreadable, file, range, reason: systemMessage(code))
    case .isPointer: return Damage(.unreadable, file, range, reason: "a pointer of Git LFS")
    default: return Damage(.unreadable, file, range, reason: "not a regular file")
    }
  }

  /// Files of the entry that no record is about, or the folder that keeps them from being listed.
  private func extras() throws(StoreError) -> (extras: [Damage], closed: [Damage]) {
    let known = Set(receipt.files.map(\.path) + [StoreLayout.receipt])
    do throws(FileError) {
      let found = try Self.files(in: entry.path)
      return (found.filter { !known.contains($0) }.map { Damage(.extra, $0) }, [])
    } catch {
      guard let denied = Damage(denied: error, in: entry.path) else { throw .storage(error) }
      return ([], [denied])
    }
  }

  /// Paths of all that is in the directory but is none itself, relative to it; a directory whose name is no text counts as one thing.
  static func files(in directory: String, prefix: String = "") throws(FileError) -> [String] {
    guard try FileSystem.info(directory) != nil else { return [] }
    var files: [String] = []
    for item in try FileSystem.list(directory) {
      if item.kind == .directory, let name = item.name.text {
        let path = FilePath.join(directory, name)
        files += try Self.files(in: path, prefix: prefix + name + "/")
      } else {
        files.append("\(prefix)\(item.name)")
      }
    }
    return files
  }

  /// Damage of one file in order, runs of neighbouring parts as one.
  private static func joined(_ damage: [Damage]) -> [Damage] {
    damage.sorted { ($0.start ?? 0) < ($1.start ?? 0) }.reduce(into: []) { joined, next in
      if let last = joined.last, last.kind == .changed, next.kind == .changed,
        let (range, more) = last.range.flatMap({ range in next.range.map { (range, $0) } }),
        range.upperBound == more.lowerBound
      {
        joined[joined.count - 1] = Damage(.changed, last.file, range.lowerBound..<more.upperBound)
      } else {
        joined.append(next)
      }
    }
  }
}

/// Gives the parts to threads, one after the other.
private final class ChunkQueue: Sendable {
  let jobs: [ChunkJob]
  let read: @Sendable (Int) -> Void
  private let next = Atomic(0)

  init(jobs: [ChunkJob], read: @escaping @Sendable (Int) -> Void) {
    self.jobs = jobs
    self.read = read
  }

  /// The outcome of each part, in order.
  func run(width: Int) async -> [ChunkJob.Outcome] {
    let found = await withTaskGroup(of: [(Int, ChunkJob.Outcome)].self) { group in
      for _ in 0..<min(width, jobs.count) {
        group.addTask(executorPreference: TaskThread()) { self.work() }
      }
      return await group.reduce(into: [(Int, ChunkJob.Outcome)]()) { $0 += $1 }
    }
    return found.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func work() -> [(Int, ChunkJob.Outcome)] {
    var outcomes: [(Int, ChunkJob.Outcome)] = []
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < jobs.count else { return outcomes }
      outcomes.append((index, jobs[index].run()))
      read(jobs[index].range.count)
    }
  }
}

/// One part of a file that has a digest of its own, to be read by whichever thread is free.
struct ChunkJob: Sendable {
  let file: Int
  let range: Range<Int>
  let digest: String
  let reader: FileReader

  /// How a part turned out.
  enum Outcome: Sendable, Equatable {
    case right, wrong, cancelled
    case failed(FileError)
  }

  func run() -> Outcome {
    do throws(FileError) {
      guard let found = try reader.sha256(range, isCancelled: { Task.isCancelled }) else {
        return .cancelled
      }
      return found == digest ? .right : .wrong
    } catch {
      if case .changed = error { return .wrong }
      return .failed(error)
    }
  }
}
