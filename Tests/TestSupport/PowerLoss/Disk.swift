/// Files and folders by number, as a disk has them; the folder that all is in is 0.
struct Disk: Sendable {
  /// A name in a folder.
  struct Name: Hashable, Sendable {
    let folder: Int
    let text: String
  }

  enum Kind: Sendable { case file, folder }

  /// What one operation changes, all of it or nothing.
  enum Change: Sendable {
    /// What names stand for from now on; nil for nothing.
    case names([Name: Int?])
    case bytes(of: Int, at: Int, [UInt8])
    case size(of: Int, Int)
    case mode(of: Int, isWritable: Bool)
  }

  /// What a loss of power leaves of a change; all but `kept` and `lost` are for bytes alone.
  enum Fate: Sendable, CaseIterable {
    case kept, lost
    /// The file is as long as it was to be, and has zeros there.
    case zeroed
    /// The first half arrived.
    case torn
  }

  private var names: [Int: [String: Int]] = [:]
  private var files: [Int: [UInt8]] = [:]
  private var sealed: Set<Int> = []
  private(set) var kinds: [Int: Kind] = [0: .folder]

  init(_ tree: FileTree) {
    for (path, item) in tree.items.sorted(by: { $0.key < $1.key }) {
      let node: Int
      switch item.contents {
      case .folder: node = make(.folder)
      case .file(let bytes): node = make(.file, bytes)
      }
      if !item.isWritable { sealed.insert(node) }
      if let name = name(path) { names[name.folder, default: [:]][name.text] = node }
    }
  }

  /// A new file or folder without a name.
  mutating func make(_ kind: Kind, _ bytes: [UInt8] = []) -> Int {
    let node = kinds.count
    kinds[node] = kind
    if kind == .file { files[node] = bytes }
    return node
  }

  /// The name at the end of `path`, which begins below the folder that all is in; nil where the folder before it is missing.
  func name(_ path: String) -> Name? {
    let words = path.split(separator: "/").map(String.init)
    guard let last = words.last, let folder = node(words.dropLast()) else { return nil }
    return Name(folder: folder, text: last)
  }

  /// What stands at `path`.
  func node(_ path: String) -> Int? { node(path.split(separator: "/").map(String.init)[...]) }

  private func node(_ words: ArraySlice<String>) -> Int? {
    words.reduce(0 as Int?) { folder, word in folder.flatMap { names[$0]?[word] } }
  }

  mutating func apply(_ change: Change, _ fate: Fate = .kept) {
    guard fate != .lost else { return }
    switch change {
    case .names(let changes):
      for (name, node) in changes { names[name.folder, default: [:]][name.text] = node }
    case .bytes(let node, let start, let bytes):
      let end = start + (fate == .torn ? bytes.count / 2 : bytes.count)
      var file = files[node] ?? []
      if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
      file.replaceSubrange(
        start..<end,
        with: fate == .zeroed
          ? [UInt8](repeating: 0, count: bytes.count)[...] : bytes.prefix(end - start))
      files[node] = file
    case .size(let node, let size):
      let file = files[node] ?? []
      files[node] = file.prefix(size) + [UInt8](repeating: 0, count: max(0, size - file.count))
    case .mode(let node, let isWritable):
      if isWritable { sealed.remove(node) } else { sealed.insert(node) }
    }
  }

  /// What can be found from `path` on.
  func tree(_ path: String) -> FileTree {
    var tree = FileTree()
    if let node = node(path) { add(node, "", &tree) }
    return tree
  }

  private func add(_ folder: Int, _ prefix: String, _ tree: inout FileTree) {
    for (name, node) in names[folder] ?? [:] {
      let isWritable = !sealed.contains(node)
      if kinds[node] == .folder {
        tree.items[prefix + name] = .init(contents: .folder, isWritable: isWritable)
        add(node, prefix + name + "/", &tree)
      } else {
        tree.items[prefix + name] = .init(
          contents: .file(files[node] ?? []), isWritable: isWritable)
      }
    }
  }
}
