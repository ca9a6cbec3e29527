import TensorFiles

extension Receipt {
  /// Where the file of `record` came from and may still be: a path first, then an address.
  func repairSources(
    of record: FileRecord, _ downloads: (any Downloading)?
  ) -> [RepairSource] {
    let place = origin(of: record)
    let fetched = sources?.first { $0.path == record.path }?.url
    var found: [RepairSource] = place.hasPrefix("/") ? [.file(place)] : []
    if let url = fetched ?? (place.contains("://") ? place : nil), let downloads {
      let file = RemoteFile(url: url, path: record.path, size: record.size, sha256: record.sha256)
      found.append(
        RepairSource(place: url) { range throws(StoreError) in
          try await downloads.part(of: file, range: range)
        })
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
      try storing { () throws(TensorFileError) in try FileReader(path: path).read(range) }
    }
  }
}
