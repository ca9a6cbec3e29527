import Foundation
import Kernels
import TensorFiles

extension PartialFile {
  /// The partial download of `file`: what others have left, or a new one.
  ///
  /// Of several processes that want the same partial, one gets it, by one rename.
  static func open(
    _ file: RemoteFile, in store: StoreLayout, _ process: ProcessFacts
  ) throws(TensorFileError) -> PartialFile {
    let name = IngestName(boot: process.boot, process: process.identifier, created: process.now())
    let collector = IngestCollector(layout: store, boot: process.boot, now: process.now())
    let key = PartialState.key(file)
    let candidates = try PartialShelf(collector: collector).adoptable(key)
    let ingest = try Ingest(in: store, name: name)
    do throws(TensorFileError) {
      let path = FilePath.join(ingest.parts, key)
      try FileSystem.createDirectory(ingest.parts)
      for candidate in candidates where take(candidate, to: path) {
        if let partial = try adopt(path, in: ingest, candidate.state, process) { return partial }
        try FileSystem.removeTree(path)
      }
      return try create(path, in: ingest, file, process)
    } catch {
      try? ingest.remove()
      throw error
    }
  }

  private static func create(
    _ path: String, in ingest: Ingest, _ file: RemoteFile, _ process: ProcessFacts
  ) throws(TensorFileError) -> PartialFile {
    try FileSystem.createDirectory(path)
    let now = process.now()
    let state = PartialState(
      url: file.shown, file: file.path, sha256: file.sha256, boot: process.boot, created: now,
      updated: now)
    try state.write(to: FilePath.join(path, Self.state))
    return try PartialFile(path, in: ingest, state, PartialJournal())
  }

  /// Moves a partial into this process's directory; false when another was quicker.
  private static func take(_ candidate: PartialShelf.Entry, to path: String) -> Bool {
    guard (try? FileSystem.rename(candidate.path, to: path)) != nil else { return false }
    // Its process lives and would keep the empty directory.
    if candidate.state.released { try? FileSystem.removeTree(candidate.ingest) }
    return true
  }

  /// Takes over what is at `path` after a look at every byte; nil when nothing of it can be used.
  ///
  /// Its former owner may live, whatever its lock said, and write on; so all work goes on in copies, which it
  /// cannot reach. It empties the journal before it writes anything else than what the journal says; a journal
  /// that has only grown while the bytes were copied vouches for them.
  private static func adopt(
    _ path: String, in ingest: Ingest, _ state: PartialState, _ process: ProcessFacts
  ) throws(TensorFileError) -> PartialFile? {
    let before = journalBytes(at: path)
    let data = FilePath.join(path, Self.data)
    let copy = FilePath.join(path, "copy")
    try FileSystem.removeTree(copy)
    guard try FileSystem.info(data)?.kind == .file else { return nil }
    do throws(TensorFileError) {
      try FileSystem.copyFile(data, to: copy)
    } catch {
      // A full disk is no reason to lose what was fetched: put it where the next attempt finds it.
      try? putBack(path, in: ingest, state, process)
      throw error
    }
    guard journalBytes(at: path).starts(with: before) else { return nil }
    let journal = try PartialJournal(reading: before).verified(copy, state, boot: process.boot)
    guard !journal.received.ranges.isEmpty else { return nil }
    try FileSystem.rename(copy, to: data)
    try AtomicFile.write(Array(journal.text.utf8), to: FilePath.join(path, Self.journal))
    var adopted = state
    adopted.boot = process.boot
    adopted.updated = process.now()
    adopted.released = false
    try adopted.write(to: FilePath.join(path, Self.state))
    return try PartialFile(path, in: ingest, adopted, journal)
  }

  private static func putBack(
    _ path: String, in ingest: Ingest, _ state: PartialState, _ process: ProcessFacts
  ) throws(TensorFileError) {
    // An ingest directory with a fresh name and no lock, whose state says that it is free.
    let name = IngestName(boot: process.boot, process: process.identifier, created: process.now())
    let home = FilePath.join(FilePath.parent(of: ingest.path), name.text)
    let parts = FilePath.join(home, Ingest.parts)
    try FileSystem.createDirectory(parts)
    var state = state
    state.released = true
    try? state.write(to: FilePath.join(path, Self.state))
    try FileSystem.rename(path, to: FilePath.join(parts, FilePath.name(of: path)))
  }
}

extension PartialJournal {
  /// What of it is true of the file `copy`.
  ///
  /// A chunk with a digest is read and compared. Bytes of the others are believed only where the running system is
  /// still the one that took them, and only from the start of the chunk on, so that a digest can go on from there.
  func verified(
    _ copy: String, _ state: PartialState, boot: String
  ) throws(TensorFileError) -> PartialJournal {
    let mapped = try MappedFile(path: copy)
    let end = min(mapped.bytes.count, state.total ?? .max)
    var result = PartialJournal()
    for start in stride(from: 0, to: end, by: FileRecord.chunkSize) {
      let index = start / FileRecord.chunkSize
      let chunk = start..<min(start + FileRecord.chunkSize, state.total ?? .max)
      if let digest = chunks[index] {
        guard chunk.upperBound <= end, received.contains(chunk),
          SHA256.hex(mapped.bytes.slice(chunk)) == digest
        else { continue }
        result.chunks[index] = digest
        result.received.insert(chunk)
      } else if state.boot == boot {
        let known = min(received.end(from: start), end, chunk.upperBound)
        // A whole chunk has a digest unless its line was lost; then it is not worth the doubt.
        if known < chunk.upperBound { result.received.insert(start..<known) }
      }
    }
    return result
  }
}
