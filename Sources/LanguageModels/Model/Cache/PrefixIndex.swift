import Kernels

/// Pages by the tokens that they are of, and all tokens in front of these: a tree, whose leaves may be pages that are not full.
struct PrefixIndex: Sendable {
  /// A page behind that of its parent.
  ///
  /// Who holds its page may hold it, too, but only the index looks into it: as long as the page is held it stays there.
  final class Node: @unchecked Sendable {
    fileprivate let tokens: [Int32]
    fileprivate var page: CachePage?
    // By what their rows depend on beside tokens; no list is empty.
    fileprivate var children: [[String]: [Node]] = [:]
    fileprivate var lastUse = 0

    fileprivate init(_ tokens: [Int32], _ page: CachePage?) {
      (self.tokens, self.page) = (tokens, page)
    }

    fileprivate func shared(_ other: ArraySlice<Int32>) -> Int {
      zip(tokens, other).prefix { $0 == $1 }.count
    }
  }

  /// What is there of a text's beginning.
  struct Beginning {
    /// Of whole pages.
    var nodes: [Node] = []
    /// Those, and one of whose tokens only the first are the text's.
    var pages: [CachePage] = []
    /// Tokens of the text in them.
    var count = 0
  }

  // It has no page.
  private let root = Node([], nil)
  private var uses = 0

  /// The longest beginning of `tokens` that there is; nil where there is none.
  mutating func beginning(_ tokens: ArraySlice<Int32>, _ key: CacheKey) -> Beginning? {
    uses += 1
    var (node, found, rest) = (root, Beginning(), tokens)
    while !rest.isEmpty {
      let next = key.choices(page: found.nodes.count).flatMap { choice in
        (node.children[choice.key] ?? []).map { child in
          (node: child, shared: min(child.shared(rest), choice.rows))
        }
      }
      .max { $0.shared < $1.shared }
      guard let next, next.shared > 0, let page = next.node.page else { break }
      next.node.lastUse = uses
      found.pages.append(page)
      found.count += next.shared
      guard next.shared == CachePage.positions else { break }
      found.nodes.append(next.node)
      (node, rest) = (next.node, rest.dropFirst(next.shared))
    }
    return found.count > 0 ? found : nil
  }

  /// The node of `tokens` behind `parent`, or of a text's first page, whose rows depend on `key`, and its page.
  ///
  /// The page is another than `page` where they were there already. Nothing goes behind a node of fewer tokens than a page has.
  mutating func insert(
    _ page: CachePage, _ tokens: ArraySlice<Int32>, _ key: [String], behind parent: Node?
  ) -> (node: Node, page: CachePage) {
    uses += 1
    let parent = parent ?? root
    var children = parent.children[key] ?? []
    let known = children.first { $0.shared(tokens) == tokens.count }
    let node = known ?? Node(Array(tokens), page)
    node.lastUse = uses
    if known == nil {
      // What begins this one is of no more use.
      children.removeAll { $0.shared(tokens) == $0.tokens.count }
      parent.children[key] = children + [node]
    }
    return (node, node.page ?? page)
  }

  /// Removes the page that nobody holds and that was found the longest ago, of those with none behind them.
  mutating func takeUnheld() -> CachePage? {
    var oldest: (node: Node, key: [String], parent: Node)?
    var open = [root]
    while let parent = open.popLast() {
      for (key, nodes) in parent.children {
        for node in nodes {
          guard node.children.isEmpty else {
            open.append(node)
            continue
          }
          guard isKnownUniquelyReferenced(&node.page) else { continue }
          if oldest.map({ node.lastUse < $0.node.lastUse }) ?? true {
            oldest = (node, key, parent)
          }
        }
      }
    }
    guard let (node, key, parent) = oldest else { return nil }
    let others = parent.children[key]?.filter { $0 !== node } ?? []
    parent.children[key] = others.isEmpty ? nil : others
    return node.page
  }
}
