import AdapterStore
import Adapters
import FoundationEssentials
import TensorFiles

/// The memory of this machine, or of the container that the program runs in.
struct MachineMemory: Equatable {
  /// Bytes in all.
  let total: Int
  /// Bytes that a program could have now.
  let available: Int

  /// What the system says; nil where it does not.
  static var current: MachineMemory? {
    // Such files state no size, so that they are read to their end.
    func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
    let group = "/sys/fs/cgroup/memory."
    return MachineMemory(
      system: text("/proc/meminfo") ?? "", limit: text(group + "max"),
      used: text(group + "current"))
  }

  init(total: Int, available: Int) { (self.total, self.available) = (total, available) }

  /// From the text of `/proc/meminfo`, and of the files of a control group, which has `max` where it has no limit.
  init?(system: String, limit: String?, used: String?) {
    func field(_ name: String) -> Int? {
      let line = system.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      let words = line?.split(separator: " ") ?? []
      return words.count == 3 && words[2] == "kB" ? Int(words[1]).map { $0 * 1024 } : nil
    }
    guard let total = field("MemTotal"), let available = field("MemAvailable") else { return nil }
    func number(_ text: String?) -> Int? { text.flatMap { Int($0.filter(\.isNumber)) } }
    guard let limit = number(limit), limit < total else {
      self.init(total: total, available: available)
      return
    }
    self.init(total: limit, available: min(available, max(0, limit - (number(used) ?? 0))))
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
