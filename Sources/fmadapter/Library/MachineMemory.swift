import AdapterStore
import FoundationEssentials
import JSON
import SystemFiles

/// The memory of this machine, or of the container that the program runs in.
struct MachineMemory: Equatable {
  /// Bytes in all.
  let total: Int
  /// Bytes that a program could have now.
  let available: Int
  /// Bytes that the system could still move to a disk.
  let swap: Int

  /// What the system says; nil where it does not.
  static var current: MachineMemory? {
    // Such files state no size, so that they are read to their end.
    func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
    let groups = ControlGroup.all(membership: text("/proc/self/cgroup") ?? "") { name in
      text("/sys/fs/cgroup/" + name)
    }
    return MachineMemory(system: text("/proc/meminfo") ?? "", groups: groups)
  }

  init(total: Int, available: Int, swap: Int = 0) {
    (self.total, self.available, self.swap) = (total, available, swap)
  }

  /// From the text of `/proc/meminfo`, and of the groups that limit the program.
  init?(system: String, groups: [ControlGroup]) {
    func field(_ name: String) -> Int? {
      let line = system.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      let words = line?.split(separator: " ") ?? []
      return words.count == 3 && words[2] == "kB" ? Int(words[1]).map { $0 * 1024 } : nil
    }
    guard let total = field("MemTotal"), let available = field("MemAvailable") else { return nil }
    let limits = groups.filter { $0.limit < total }
    self.init(
      total: limits.reduce(total) { min($0, $1.limit) },
      available: limits.reduce(available) { min($0, max(0, $1.limit - $1.used)) },
      // What a group may move there is told in other files yet.
      swap: limits.isEmpty ? field("SwapFree") ?? 0 : 0)
  }

  /// Bytes that a base needs whose weights have `weights`, before it has read a word: each token of the context takes
  /// more.
  static func need(ofWeights weights: Int) -> Int { weights.addingReportingOverflow(64 << 20).0 }

  /// Whether a base of `weights` bytes fits into what is available.
  func fits(_ weights: Int) -> Bool { Self.need(ofWeights: weights) <= available }
}

/// What a repository has to choose from, with what fits here.
struct HubChoiceList {
  let kind: HubKind
  let choices: [HubChoice]
  let memory: MachineMemory?

  /// Choices that people are shown; programs get all.
  private static let shown = 60

  var lines: [Line] {
    let isBase = kind == .base && memory != nil
    var table = TextTable(
      headings: ["NAME", "SIZE"] + (isBase ? ["MEMORY"] : []), rightAligned: [1])
    table.rows = choices.prefix(Self.shown).map { choice in
      [choice.reference, choice.size.map(Figures.size) ?? "-"]
        + (isBase ? [choice.size.map(verdict) ?? "-"] : [])
    }
    var lines: [Line] = [""] + table.lines(columns: .max).map { Line("  " + $0.text) }
    if choices.count > Self.shown {
      lines.append("  and \(Figures.grouped(choices.count - Self.shown)) more; --json lists all")
    }
    if isBase, let memory {
      lines += [
        "",
        "  This machine has \(Figures.size(memory.total)) of memory, \(Figures.size(memory.available)) of it free.",
      ]
    }
    return lines
  }

  private func verdict(_ size: Int) -> String {
    guard let memory else { return "-" }
    if memory.fits(size) { return "fits" }
    return MachineMemory.need(ofWeights: size) <= memory.total
      ? "fits when other programs end" : "too large"
  }

  var json: JSONValue {
    .array(
      choices.map { choice in
        .known([
          "path": .string(choice.path), "reference": .string(choice.reference),
          "size": .whole(choice.size), "parts": .integer(choice.parts),
          "fits": kind == .base
            ? choice.size.flatMap { size in memory.map { .bool($0.fits(size)) } } ?? .null : .null,
        ])
      })
  }
}
