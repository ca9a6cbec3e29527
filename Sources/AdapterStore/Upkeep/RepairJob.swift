import SystemFiles

/// Puts together a new copy of a file from what is still right and from what can be had elsewhere.
struct RepairJob: Sendable {
  let record: FileRecord
  /// The damaged file; it need not be there.
  let damaged: String
  let sources: [RepairSource]

  /// What came from where.
  struct Yield: Sendable {
    var fetched = 0
    var sources: Set<String> = []
  }

  /// Writes the file to `target`, part by part, each compared with its digest.
  ///
  /// - Throws: `StoreError.damaged` when a part is right nowhere, `.cancelled`, `.storage`.
  func run(to target: String, _ yield: inout Yield) async throws(StoreError) {
    let output = try storing { () throws(FileError) in try WritableFile(path: target) }
    let local = try? FileReader(path: damaged)
    var sources = sources
    for (range, digest) in zip(record.ranges, record.chunks) {
      if Task.isCancelled { throw .cancelled }
      let bytes: [UInt8]
      if let here = try? local?.read(range), SHA256.hex(here) == digest {
        bytes = here
      } else {
        bytes = try await fetch(range, digest, &sources, &yield)
      }
      try storing { () throws(FileError) in
        try output.write(bytes, at: range.lowerBound)
      }
    }
    try storing { () throws(FileError) in try output.sync() }
  }

  /// The bytes of `range` from the first of `sources` that has them, which is asked first for the next part, too: one that
  /// is away may take minutes to say so.
  private func fetch(
    _ range: Range<Int>, _ digest: String, _ sources: inout [RepairSource], _ yield: inout Yield
  ) async throws(StoreError) -> [UInt8] {
    var reasons: [String] = []
    for (index, source) in sources.enumerated() {
      do throws(StoreError) {
        let bytes = try await source.read(range)
        guard bytes.count == range.count, SHA256.hex(bytes) == digest else {
          reasons.append("\(source.place) has other bytes")
          continue
        }
        yield.fetched += bytes.count
        yield.sources.insert(source.place)
        sources.swapAt(0, index)
        return bytes
      } catch {
        if error == .cancelled { throw error }
        reasons.append(error.description)
      }
    }
    let why = reasons.isEmpty ? "where it came from is not known" : reasons.joined(separator: "; ")
    throw .damaged(
      path: damaged,
      reason:
        "bytes \(Figures.grouped(range.lowerBound)) to \(Figures.grouped(range.upperBound - 1)) are damaged, and \(why)"
    )
  }
}

extension Receipt {
  /// Where the file of `record` came from and may still be: a path first, then an address.
  func repairSources(
    of record: FileRecord, _ downloads: (any Downloading)?
  ) -> [RepairSource] {
    let place = origin(of: record)
    let fetched = sources?.first { $0.path == record.path && $0.parts == nil }?.url
    var found: [RepairSource] = place.hasPrefix("/") ? [.file(place)] : []
    if let url = fetched ?? (place.contains("://") ? place : nil), let downloads {
      found.append(.download(url, of: record, downloads))
    }
    return found
  }

  /// Path or address of the file of `record`, by where the entry came from.
  private func origin(of record: FileRecord) -> String {
    record.path.hasPrefix(StoreLayout.package + "/")
      ? FilePath.join(source, FilePath.name(of: record.path)) : source
  }
}

extension RepairSource {
  /// A file on this machine.
  static func file(_ path: String) -> RepairSource {
    RepairSource(place: path) { range throws(StoreError) in
      try storing { () throws(FileError) in try FileReader(path: path).read(range) }
    }
  }

  /// The file of `record` at an address.
  static func download(
    _ url: String, of record: FileRecord, _ downloads: any Downloading
  ) -> RepairSource {
    let file = RemoteFile(url: url, path: record.path, size: record.size, sha256: record.sha256)
    return RepairSource(place: url) { range throws(StoreError) in
      try await downloads.part(of: file, range: range)
    }
  }
}

extension CatalogOffer {
  /// Where it has the file of `record`, by its digest.
  func repairSources(
    of record: FileRecord, _ downloads: (any Downloading)?
  ) -> [RepairSource] {
    adapter.files.filter { $0.sha256 == record.sha256 && $0.size == record.size }.compactMap {
      if let localFolder { return .file(FilePath.join(localFolder, $0.path)) }
      let url = adapter.url + $0.path
      return downloads.map { .download(url, of: record, $0) }
    }
  }
}
