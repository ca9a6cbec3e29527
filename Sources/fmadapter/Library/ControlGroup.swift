/// What one of the control groups that this process is in leaves it of the machine's memory.
///
/// Containers and services are such groups. As Linux has them: version 2, and version 1's of the controller `memory`.
struct ControlGroup: Equatable {
  /// Bytes that all processes of the group may have.
  let limit: Int
  /// Bytes that they have, without those of files, which the system drops when it needs the room.
  let used: Int

  /// The groups that limit this process, from its own out to the root.
  ///
  /// - Parameters:
  ///   - membership: The text of `/proc/self/cgroup`.
  ///   - read: The text of a file below `/sys/fs/cgroup`; nil where there is none.
  /// - Returns: Those with a limit.
  static func all(membership: String, read: (String) -> String?) -> [ControlGroup] {
    membership.split(separator: "\n").flatMap { line -> [ControlGroup] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let controllers = parts[1].split(separator: ",")
      guard controllers.isEmpty || controllers.contains("memory") else { return [] }
      let names = controllers.isEmpty ? Names.version2 : .version1
      // A container may be told a path of the machine outside, which it does not see: then the root is its own.
      let path = parts[2].split(separator: "/")
      return (0...path.count).reversed().compactMap { count in
        let folder = (names.root + path.prefix(count).map(String.init)).map { $0 + "/" }.joined()
        return ControlGroup(names) { read(folder + $0) }
      }
    }
  }

  init(limit: Int, used: Int) { (self.limit, self.used) = (limit, used) }

  /// Nil where there is no such group, or no limit.
  private init?(_ names: Names, read: (String) -> String?) {
    func number(_ name: String) -> Int? {
      read(name).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }
    guard let limit = number(names.limit) else { return nil }
    let statistics = read("memory.stat")?.split(separator: "\n") ?? []
    let files = statistics.reduce(0) { sum, line in
      let words = line.split(separator: " ")
      guard words.count == 2, names.files.contains(String(words[0])) else { return sum }
      return sum + (Int(words[1]) ?? 0)
    }
    self.init(limit: limit, used: max(0, (number(names.used) ?? 0) - files))
  }

  private struct Names {
    /// Folders above the groups.
    let root: [String]
    let limit: String
    let used: String
    /// Of `memory.stat`.
    let files: [String]

    static let version1 = Names(
      root: ["memory"], limit: "memory.limit_in_bytes", used: "memory.usage_in_bytes",
      files: ["total_inactive_file", "total_active_file"])
    static let version2 = Names(
      root: [], limit: "memory.max", used: "memory.current",
      files: ["inactive_file", "active_file"])
  }
}
