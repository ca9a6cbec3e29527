import Adapters
import SystemFiles

/// What the store takes on the disk.
package struct StoreUsage: Sendable, Equatable, Codable {
  /// What something in the store is.
  package enum Kind: String, Sendable, Codable, CaseIterable {
    case adapter, base, compiled, partial, ingest, catalogs, other, foreign
  }

  /// Something in the store with its size.
  package struct Item: Sendable, Equatable, Codable {
    package let kind: Kind
    /// Its name under its directory.
    package let name: String
    package let path: String
    /// Bytes of all files in it.
    package let size: Int
    /// Bytes that its removal would give back: what is allocated on the disk for files that have no name elsewhere.
    let reclaimable: Int

    /// Whether another place has names for some of its files too.
    package let isShared: Bool
    /// Whether this user may not look into all of it, so that it takes more than ``size`` says.
    package let isPartlyHidden: Bool
  }

  package let root: String
  /// Everything in it, the largest of each kind first.
  package let items: [Item]
  /// Bytes that the whole takes on the disk, every file counted once.
  package let allocated: Int
  /// Bytes that may still be written to its file system.
  package let free: Int
  /// Bytes of its file system.
  package let capacity: Int

  /// Bytes of all items of a kind.
  package func size(of kind: Kind) -> Int {
    items.reduce(0) { $0 + ($1.kind == kind ? $1.size : 0) }
  }
}

extension AdapterStore {
  /// What uses the space of the store, and how much is left.
  ///
  /// A store that does not exist is empty, and what this user may not look into is said to be hidden.
  package func usage() throws(StoreError) -> StoreUsage {
    try StorePlace(root: root).check()
    return try storing { () throws(FileError) in
      var surveyor = UsageSurvey()
      var items: [StoreUsage.Item] = []
      if try FileSystem.info(root) != nil {
        for entry in try FileSystem.list(root) {
          let path = RawPath(root).appending(entry.name)
          items += try usage(at: path, entry.name, StoreLayout.area(entry.name), &surveyor)
        }
      }
      let space = try FileSystem.space(at: try StorePlace.existing(root))
      return StoreUsage(
        root: root, items: items.sorted(by: Self.precedes), allocated: surveyor.allocated,
        free: space.free, capacity: space.capacity)
    }
  }

  /// What stands at `path`, where the store keeps `area`: its parts, or the thing itself.
  private func usage(
    at path: RawPath, _ name: FileName, _ area: StoreLayout.Area?, _ survey: inout UsageSurvey
  ) throws(FileError) -> [StoreUsage.Item] {
    guard let area else { return [try survey.item(.foreign, "\(name)", path)] }
    // The parts may lie on another disk, behind a link.
    guard let inner = area.parts, FileSystem.isDirectory(following: "\(path)"),
      let parts = try UsageSurvey.list(path)
    else {
      return [try survey.item(area.kind, "\(name)", path)]
    }
    var items: [StoreUsage.Item] = []
    for part in parts {
      let place = path.appending(part.name)
      if area.kind != .ingest, let reserved = StoreLayout.reserved(part.name) {
        items += try usage(at: place, part.name, reserved, &survey)
        continue
      }
      let kind = inner(part) ? area.kind : .foreign
      let partials = kind == .ingest ? Self.partials(in: "\(place)") : []
      items.append(
        partials.isEmpty
          ? try survey.item(kind, "\(part.name)", place)
          : try survey.item(.partial, partials.joined(separator: ", "), place))
    }
    return items
  }

  /// Names of the partial downloads in what an installation left; without any it is the rest of one.
  private static func partials(in path: String) -> [String] {
    guard let name = IngestName(FilePath.name(of: path)) else { return [] }
    return PartialDownloads.entries(in: path, name).map { PartialDownload.name(of: $0.path) }
  }

  private static func precedes(_ first: StoreUsage.Item, _ second: StoreUsage.Item) -> Bool {
    let order = StoreUsage.Kind.allCases
    let (a, b) = (order.firstIndex(of: first.kind) ?? 0, order.firstIndex(of: second.kind) ?? 0)
    if a != b { return a < b }
    return first.size != second.size ? first.size > second.size : first.name < second.name
  }
}

extension StoreLayout {
  /// A name of the store's top directory.
  struct Area {
    let kind: StoreUsage.Kind
    /// Which of the directory's parts are the store's; nil when it is one thing.
    var parts: (@Sendable (FileSystem.Entry) -> Bool)?
  }

  /// What the store keeps under `name`; nil when the name is not the store's.
  static func area(_ name: FileName) -> Area? {
    switch name.text {
    case "adapters":
      Area(kind: .adapter) { entry in
        entry.kind == .directory
          && entry.name.text.flatMap { try? AdapterIdentifier($0) } != nil
      }
    case "bases":
      Area(kind: .base) { $0.kind == .directory && $0.name.text.map(isSignature) == true }
    case "compiled": Area(kind: .compiled) { $0.kind == .directory }
    case "ingest":
      Area(kind: .ingest) { $0.kind == .directory && $0.name.text.flatMap(IngestName.init) != nil }
    case "catalogs", "catalogs.d": Area(kind: .catalogs)
    case "current", "checked", "leases", "locks", "state.json", "lost+found",
      CompilationLog.fileName:
      Area(kind: .other)
    // What a process has left that was killed as it wrote one of these.
    default:
      name.text.flatMap(FilePath.original).flatMap { area(FileName($0)) }
        .map { _ in Area(kind: .other) }
    }
  }
}

/// Adds up files, each once however many names it has.
struct UsageSurvey {
  private struct FileNumber: Hashable {
    let device: UInt64
    let inode: UInt64
  }

  /// Bytes on the disk of all that was seen.
  private(set) var allocated = 0
  private var seen: Set<FileNumber> = []

  /// The size of what stands at `path`; what vanishes meanwhile counts as empty.
  mutating func item(
    _ kind: StoreUsage.Kind, _ name: String, _ path: RawPath
  ) throws(FileError) -> StoreUsage.Item {
    var sum = Sum()
    try add(path, &sum)
    return StoreUsage.Item(
      kind: kind, name: name, path: "\(path)", size: sum.size, reclaimable: sum.reclaimable,
      isShared: sum.isShared, isPartlyHidden: sum.isPartlyHidden)
  }

  private struct Sum {
    var size = 0
    var reclaimable = 0
    var isShared = false
    var isPartlyHidden = false
  }

  private mutating func add(_ path: RawPath, _ sum: inout Sum) throws(FileError) {
    guard let info = try Self.visible({ () throws(FileError) in try FileSystem.info(path) })
    else {
      sum.isPartlyHidden = true
      return
    }
    guard let info else { return }
    if seen.insert(FileNumber(device: info.device, inode: info.inode)).inserted {
      allocated += info.allocated
    }
    switch info.kind {
    case .directory:
      sum.reclaimable += info.allocated
      guard let entries = try Self.list(path) else {
        sum.isPartlyHidden = true
        return
      }
      for entry in entries { try add(path.appending(entry.name), &sum) }
    case .file where info.links > 1:
      sum.size += info.size
      sum.isShared = true
    default:
      sum.size += info.kind == .file ? info.size : 0
      sum.reclaimable += info.allocated
    }
  }

  /// What the directory has, nil where this user may not look; one that another process has just removed is empty.
  static func list(_ path: RawPath) throws(FileError) -> [FileSystem.Entry]? {
    try visible { () throws(FileError) in
      do throws(FileError) {
        return try FileSystem.list(path)
      } catch {
        if error.isMissing { return [] }
        throw error
      }
    }
  }

  /// What `look` finds, nil where this user may not look.
  private static func visible<T>(
    _ look: () throws(FileError) -> T
  ) throws(FileError) -> T? {
    do throws(FileError) {
      return try look()
    } catch {
      if error.isDenied { return nil }
      throw error
    }
  }
}
