#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How many processors this process can have at once.
///
/// Job schedulers and `taskset` bind programs to some of the machine's, containers and services give them time of some: more
/// threads than that would take turns.
enum ProcessorCount {
  /// Of the `online` ones, those that the process may run on, and no more than each of its control groups has time for.
  ///
  /// `read` gives the text of a file of the system, or nil where there is none.
  static func usable(online: Int, read: (String) -> String?) -> Int {
    var count = online
    if let allowed = allowed(read("/proc/self/status") ?? "") { count = min(count, allowed) }
    for path in groups(read("/proc/self/cgroup") ?? "") {
      var time = read(path + "/cpu.max")
      if time == nil, let part = read(path + "/cpu.cfs_quota_us"),
        let period = read(path + "/cpu.cfs_period_us")
      {
        time = "\(part) \(period)"
      }
      if let time, let quota = quota(time) { count = min(count, quota) }
    }
    return max(count, 1)
  }

  /// The processors in a list such as `0-3,8`.
  private static func allowed(_ status: String) -> Int? {
    let key = "Cpus_allowed_list:"
    guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else {
      return nil
    }
    let list = line.dropFirst(key.count).filter { !$0.isWhitespace }
    return list.split(separator: ",").reduce(0) { sum, range in
      let ends = range.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last else { return sum }
      return sum + last - first + 1
    }
  }

  /// Folders of the groups that the process is in, out to the root; a container sees its own group as that.
  private static func groups(_ membership: String) -> [String] {
    membership.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let controllers = parts[1].split(separator: ",")
      guard controllers.isEmpty || controllers.contains("cpu") else { return [] }
      let root = "/sys/fs/cgroup" + (controllers.isEmpty ? "" : "/cpu")
      let names = parts[2].split(separator: "/")
      return (0...names.count).map {
        ([root] + names.prefix($0).map(String.init)).joined(separator: "/")
      }
    }
  }

  /// How many processors' time a group has, from its microseconds in each period of so many; nil for all.
  private static func quota(_ text: String) -> Int? {
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return nil }
    return (numbers[0] - 1) / numbers[1] + 1
  }

  /// What a file of the system says, which states no size.
  static func text(_ path: String) -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }
}
