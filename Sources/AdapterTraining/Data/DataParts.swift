import SystemFiles

/// The files that a data set is published in: one, or those of a folder in the order of their names.
package struct DataParts: Sendable, Equatable {
  /// The path of the file or the folder, as it was given.
  package let name: String
  /// Paths of the files; one at least.
  package let paths: [String]

  /// What stands at each of `names`, which are data sets of their own, or parts of one; with tables where `takesTables`.
  ///
  /// - Throws: `DataSetError.repeatedPart` where a file is named twice, and as `files`.
  package static func all(
    _ names: [String], takesTables: Bool = false
  ) throws(DataSetError) -> [DataParts] {
    var (sets, known) = ([DataParts](), [String: String]())
    for name in names {
      let set = DataParts(name: name, paths: try files(at: name, takesTables: takesTables))
      for path in set.paths {
        let place = (try? FileSystem.resolved(path)) ?? path
        if let other = known.updateValue(path, forKey: place) {
          throw .repeatedPart(path: path, other: other)
        }
      }
      sets.append(set)
    }
    return sets
  }

  /// `path` itself, unless it is a folder; then the data sets in it by their names, and tables and other JSON where `takesTables`.
  ///
  /// What tells of a set, or stands beside it, is passed over.
  /// - Throws: `DataSetError.noParts` where there are none, `.strangePart` where there is data that is not read, or `.file`.
  package static func files(
    at path: String, takesTables: Bool = false
  ) throws(DataSetError) -> [String] {
    guard FileSystem.isDirectory(following: path) else { return [path] }
    var paths: [String] = []
    for entry in try reading({ () throws(FileError) in try FileSystem.list(path) }) {
      func ends(_ endings: [String]) -> Bool { endings.contains(where: entry.name.hasSuffix) }
      let isPart = ends(lines) || takesTables && ends(tables)
      guard isPart || ends(tables.filter { !$0.hasPrefix(".json") } + others) else { continue }
      let part = try reading { () throws(FileError) in try FilePath.join(path, entry.name) }
      guard isPart else { throw .strangePart(path: part) }
      paths.append(part)
    }
    guard !paths.isEmpty else { throw .noParts(path: path) }
    return paths
  }

  /// Whether it is the folder at `path`: what is written there becomes a part of it.
  package func isFolder(_ path: String) -> Bool {
    paths != [name] && (try? FileSystem.resolved(name)) == (try? FileSystem.resolved(path))
  }

  private static let lines = packed([".jsonl", ".ndjson"])
  private static let tables = packed([".json", ".csv", ".tsv", ".tab"])
  /// Forms in which data is published, too.
  private static let others = [
    ".parquet", ".arrow", ".feather", ".zip", ".tar", ".7z", ".bz2", ".xz", ".lz4",
  ]

  private static func packed(_ endings: [String]) -> [String] {
    endings.flatMap { [$0, $0 + ".gz", $0 + ".zst"] }
  }
}

/// Where each part of a data set begins among its examples.
package struct PartStarts: Sendable, Equatable {
  private var starts: [(path: String, first: Int)] = []

  init() {}

  /// The examples from `first` on are of the file at `path`.
  mutating func add(_ path: String, first: Int) { starts.append((path, first)) }

  /// The path of the part that has an example; nil where there is but one.
  package func path(of example: Int) -> String? {
    starts.count < 2 ? nil : starts.last { $0.first <= example }?.path
  }

  /// As all values are.
  package static func == (left: PartStarts, right: PartStarts) -> Bool {
    left.starts.elementsEqual(right.starts, by: ==)
  }
}
