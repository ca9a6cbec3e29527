import SystemFiles

extension AdapterStore {
  /// The directories of the store: kinds, permissions, room, and what its file system can do.
  func examineRoot() -> [Diagnosis] {
    guard (try? FileSystem.info(root)) != nil else { return [] }
    var diagnoses: [Diagnosis] = []
    for path in [root, layout.adapters, layout.bases, layout.ingest, layout.compiled] {
      guard let info = try? FileSystem.info(path), info.kind == .directory,
        info.mode & 0o700 != 0o700
      else { continue }
      diagnoses.append(
        Diagnosis(
          "store.permissions", .system, path,
          "Its owner may not read, write and enter this directory.",
          remedy: "Give the owner all permissions: chmod u+rwx.", fix: .open(path)))
    }
    return diagnoses + layout.disks.flatMap { examineFileSystem(of: $0) }
  }

  /// The disk of `place`, which is the store or an area of it.
  private func examineFileSystem(of place: String) -> [Diagnosis] {
    var diagnoses: [Diagnosis] = []
    if let space = try? FileSystem.space(at: place), space.free < 64 << 20 {
      diagnoses.append(
        Diagnosis(
          "disk.full", .system, place, "Only \(Figures.size(space.free)) are free.",
          remedy: "Free some space."))
    }
    switch probe(place) {
    case .failure(let error):
      diagnoses.append(
        Diagnosis(
          "store.readonly", .system, place, "The store cannot be written: \(error).",
          remedy: "Mend the permissions, or set FMADAPTER_HOME to another place."))
    case .success(let abilities):
      if !abilities.exchanges {
        diagnoses.append(
          Diagnosis(
            "filesystem.exchange", nil, place,
            "This file system cannot exchange two directories, so a replacement has a moment without either.",
            remedy: "Nothing to do; a store on ext4, xfs, btrfs or tmpfs has no such moment."))
      }
      if !abilities.locks {
        diagnoses.append(
          Diagnosis(
            "filesystem.lock", nil, place, "This file system has no locks.",
            remedy: "Nothing to do, but prune cannot see what running sessions use."))
      }
      if !abilities.permissions {
        diagnoses.append(
          Diagnosis(
            "filesystem.permissions", nil, place,
            "This file system keeps no permissions, so installed packages can be written to.",
            remedy: "Nothing to do; a verification finds what was changed."))
      }
    }
    return diagnoses
  }

  private struct Abilities {
    let exchanges: Bool
    let locks: Bool
    let permissions: Bool
  }

  /// Tries in a directory of its own what the store relies on.
  private func probe(_ place: String) -> Result<Abilities, FileError> {
    do throws(FileError) {
      let ingest = try newIngest(for: place)
      defer { try? ingest.remove() }
      let other = FilePath.join(ingest.path, "other")
      try FileSystem.createDirectory(other)
      let lock = try? FileLock(sharing: FilePath.join(ingest.path, "probe"))
      return .success(
        Abilities(
          exchanges: try FileSystem.exchangesAtOnce(ingest.item, other), locks: lock != nil,
          permissions: Self.keepsPermissions(ingest)))
    } catch {
      return .failure(error)
    }
  }

  /// Whether write permission that is taken away on the disk of `place` stays away; true where that cannot be tried.
  func keepsPermissions(_ place: String) -> Bool {
    guard let ingest = try? newIngest(for: place) else { return true }
    defer { try? ingest.remove() }
    return Self.keepsPermissions(ingest)
  }

  private static func keepsPermissions(_ ingest: Ingest) -> Bool {
    try? FileSystem.protect(ingest.item)
    guard let info = try? FileSystem.info(ingest.item) else { return true }
    return info.mode & 0o222 == 0
  }

  /// Files that say something about the whole store; none of them is needed.
  func examineState() -> [Diagnosis] {
    var diagnoses = catalogs().problems.map { Diagnosis(nil, $0) }
    guard let bases = try? bases().bases else { return diagnoses }
    let exists = (try? FileSystem.info(layout.current)) != nil
    let isChosen =
      bases.contains { $0.signature == chosenSignature } || unusableBase(chosenSignature) != nil
    if exists, !isChosen, !bases.isEmpty {
      diagnoses.append(
        Diagnosis(
          "current.invalid", nil, layout.current, "The file names no installed base.",
          remedy: "Choose a base.",
          fix: .choose))
    } else if !isChosen, bases.count > 1 {
      diagnoses.append(
        Diagnosis(
          "current.missing", .compatibility, layout.current,
          "\(bases.count) bases are installed and none is chosen.",
          remedy: "Choose one.", fix: .choose))
    }
    return diagnoses
  }

  /// What is not the store's.
  func examineForeign() -> [Diagnosis] {
    let items = ((try? usage().items) ?? []).filter { $0.kind == .foreign }
    return items.map { item in
      let isNameless = IngestCollector.place(ofNameless: item.path) != nil
      return Diagnosis(
        nil, Self.foreign(item.path),
        fix: isNameless ? .collect : .setAside(item.path))
    }
  }

  /// What nobody will finish or use.
  func examineOrphans() -> [Diagnosis] {
    let abandoned = (try? collector.survey().abandoned) ?? []
    let left = abandoned.map {
      Diagnosis(nil, Self.interrupted($0), fix: .collect)
    }
    let kinds: Set<Prunable.Kind> = [.compiled, .partial]
    let orphans = (try? prunable(PruneSelection(kinds: kinds, sparesFreshPartials: true))) ?? []
    return left
      + orphans.map {
        Diagnosis(
          "orphan.\($0.kind.rawValue)", nil, $0.name, "It is of no more use: \($0.reason).",
          remedy: "Remove it.")
      }
  }
}
