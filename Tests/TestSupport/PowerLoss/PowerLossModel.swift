internal import SystemFiles

/// What POSIX allows a disk to have after a crash in the midst of recorded operations.
///
/// What a sync has brought to the disk is there. Of the rest any part may be, in any order, but for two rules: an operation
/// on names happens as a whole, and not before an earlier one on the same name. Bytes of a file that was not synced may be
/// missing, torn or zeros, whatever became of its name.
///
/// Source: Pillai et al., "All File Systems Are Not Created Equal", OSDI 2014, section 3.2.
package struct PowerLossModel: Sendable {
  /// A state of the disk to begin anew from.
  package struct Crash: Sendable {
    /// What is below the place that was asked for.
    package let tree: FileTree
    /// Whether the process alone has ended, so that the system lost nothing.
    package let isKill: Bool
    /// Whether everything had been done before.
    package let isEnd: Bool
    /// How it came about.
    package let words: String
  }

  /// Syncs that are taken for granted in vain.
  package enum Syncs: String, Sendable, CaseIterable { case files, folders }

  private struct Entry {
    let change: Disk.Change
    let step: Int
    /// Earlier changes of the same names.
    var earlier: [Int] = []
    /// The step that brought it to the disk.
    var synced = Int.max
  }

  private struct Incomplete: Error { let operation: FileChange }

  private let steps: [FileRecording.Step]
  private let folder: String
  private var start: Disk
  private var entries: [Entry] = []
  private var syncs: [Int] = []

  /// - Throws: where an operation is about something that no earlier one has made.
  package init(_ recording: FileRecording, forgetting forgotten: Syncs? = nil) throws {
    (steps, folder) = (recording.steps, recording.folder)
    start = Disk(recording.before)
    var now = start
    var last: [Disk.Name: Int] = [:]
    for (index, step) in steps.enumerated() {
      if case .sync(let path) = step.operation, let path = below(path) {
        guard let node = now.node(path) else { throw Incomplete(operation: step.operation) }
        syncs.append(index)
        let isForgotten = forgotten == (now.kinds[node] == .file ? .files : .folders)
        if !isForgotten { sync(node, index) }
      } else if let change = try change(step, &now) {
        now.apply(change)
        var entry = Entry(change: change, step: index)
        if case .names(let names) = change {
          entry.earlier = names.keys.compactMap { last[$0] }
          for name in names.keys { last[name] = entries.count }
        }
        entries.append(entry)
      }
    }
  }

  /// What the recorded operations have made of `place`.
  package func end(in place: String) -> FileTree {
    crash(in: place, after: steps.count, "") { _ in .kept }.tree
  }

  private func below(_ path: String) -> String? {
    if path == folder { return "" }
    return path.hasPrefix(folder + "/") ? String(path.dropFirst(folder.count + 1)) : nil
  }

  /// What an operation changes; nil for one that changes nothing, or nothing here.
  private mutating func change(
    _ step: FileRecording.Step, _ now: inout Disk
  ) throws -> Disk.Change? {
    func name(_ path: String) throws -> Disk.Name? {
      guard let path = below(path) else { return nil }
      guard let name = now.name(path) else { throw Incomplete(operation: step.operation) }
      return name
    }
    func node(_ path: String) throws -> Int? {
      guard let path = below(path) else { return nil }
      guard let node = now.node(path) else { throw Incomplete(operation: step.operation) }
      return node
    }
    func make(_ kind: Disk.Kind, _ bytes: [UInt8] = []) -> Int {
      _ = start.make(kind, bytes)
      return now.make(kind, bytes)
    }
    switch step.operation {
    case .makeDirectory(let path):
      return try name(path).map { .names([$0: make(.folder)]) }
    case .create(let path):
      guard let path = below(path), now.node(path) == nil else { return nil }
      return now.name(path).map { .names([$0: make(.file)]) }
    case .write(let path, let range):
      return try node(path).map { .bytes(of: $0, at: range.lowerBound, step.bytes) }
    case .cut(let path, to: let size): return try node(path).map { .size(of: $0, size) }
    case .link(let source, to: let target):
      return try name(target).map { name in
        // A file from elsewhere, which has been there for long.
        .names([name: below(source).flatMap(now.node) ?? make(.file, step.bytes)])
      }
    case .rename(let source, to: let target), .exchange(let source, let target):
      guard let old = try name(source), let new = try name(target) else { return nil }
      guard case .exchange = step.operation else {
        return try .names([old: nil, new: node(source)])
      }
      return try .names([old: node(target), new: node(source)])
    case .remove(let path): return try name(path).map { .names([$0: nil]) }
    case .changeMode(let path, let mode):
      return try node(path).map { .mode(of: $0, isWritable: mode & 0o200 != 0) }
    case .sync: return nil
    }
  }

  /// Everything that changed the file, or the names in the folder, is on the disk, with what that rests on.
  private mutating func sync(_ node: Int, _ step: Int) {
    var found = entries.indices.filter { index in
      switch entries[index].change {
      case .names(let names): names.keys.contains { $0.folder == node }
      case .bytes(of: node, at: _, _), .size(of: node, _), .mode(of: node, isWritable: _): true
      case .bytes, .size, .mode: false
      }
    }
    while let index = found.popLast() {
      guard entries[index].synced == .max else { continue }
      entries[index].synced = step
      found += entries[index].earlier
    }
  }

  /// The disk after `count` steps, where each change that was not synced has met its fate.
  private func crash(
    in place: String, after count: Int, isKill: Bool = false, _ words: String,
    _ fates: (Int) -> Disk.Fate
  ) -> Crash {
    var disk = start
    var lost: Set<Int> = []
    for (index, entry) in entries.enumerated() where entry.step < count {
      var fate: Disk.Fate = entry.synced < count ? .kept : fates(index)
      if case .bytes = entry.change {} else if fate != .kept { fate = .lost }
      if !lost.isDisjoint(with: entry.earlier) { fate = .lost }
      if fate == .lost { lost.insert(index) }
      disk.apply(entry.change, fate)
    }
    return Crash(
      tree: disk.tree(place), isKill: isKill, isEnd: count == steps.count,
      words: "after \(count) of \(steps.count) operations, \(words)")
  }
}

extension PowerLossModel {
  /// At most `limit` states that `place` can be in after a crash, each once: the latest of those in which all that was not synced
  /// shared one fate, and some of those of a process that was killed, and of mixtures.
  package func crashes(in place: String, limit: Int, seed: UInt64) -> [Crash] {
    var random = SeededGenerator(seed: seed)
    let killed = (0...steps.count).map {
      crash(in: place, after: $0, isKill: true, "killed") { _ in .kept }
    }
    // Before a sync, and at the end, most is open: what was possible earlier still is.
    let cuts = syncs + [steps.count]
    let mixtures = cuts.flatMap { mixed(in: place, after: $0, &random) }
    var seen: Set<Key> = []
    func some(_ crashes: [Crash], _ limit: Int) -> [Crash] {
      let new = crashes.filter {
        seen.insert(Key(tree: $0.tree, isKill: $0.isKill, isEnd: $0.isEnd)).inserted
      }
      return Array(new.prefix(limit))
    }
    return some(cuts.reversed().flatMap { uniform(in: place, after: $0) }, limit / 2)
      + some(killed.shuffled(using: &random), limit / 4)
      + some(mixtures.shuffled(using: &random), limit / 4)
  }

  private struct Key: Hashable {
    let tree: FileTree
    let isKill, isEnd: Bool
  }

  private func isOfNames(_ index: Int) -> Bool {
    if case .names = entries[index].change { true } else { false }
  }

  private func uniform(in place: String, after count: Int) -> [Crash] {
    let fates: [(String, names: Disk.Fate, others: Disk.Fate)] = [
      ("nothing that was not synced", .lost, .lost), ("names without bytes", .kept, .lost),
      ("names with zeros", .kept, .zeroed), ("names with torn bytes", .kept, .torn),
      ("bytes without names", .lost, .kept),
    ]
    return fates.map { words, names, others in
      crash(in: place, after: count, words) { isOfNames($0) ? names : others }
    }
  }

  private func mixed(
    in place: String, after count: Int, _ random: inout SeededGenerator
  ) -> [Crash] {
    let open = entries.indices.filter { entries[$0].step < count && entries[$0].synced >= count }
    var crashes = open.flatMap { index in
      let (needed, step) = (basis(of: index), entries[index].step)
      return [
        crash(in: place, after: count, "all but operation \(step)") {
          $0 == index ? .lost : .kept
        },
        crash(in: place, after: count, "operation \(step) alone") {
          needed.contains($0) ? .kept : .lost
        },
      ]
    }
    for round in 0..<8 {
      let fates = entries.map { _ in Disk.Fate.allCases.randomElement(using: &random) ?? .kept }
      crashes.append(
        crash(in: place, after: count, "mixture \(round) of \(random)") { fates[$0] })
    }
    return crashes
  }

  /// The change with all that it rests on.
  private func basis(of index: Int) -> Set<Int> {
    var (basis, open): (Set<Int>, [Int]) = ([], [index])
    while let next = open.popLast() {
      if basis.insert(next).inserted { open += entries[next].earlier }
    }
    return basis
  }
}
