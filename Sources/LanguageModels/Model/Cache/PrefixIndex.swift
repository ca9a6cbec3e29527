import Kernels

/// Whole pages by the tokens that they are of, and all tokens in front of these: a tree.
struct PrefixIndex: Sendable {
  /// A page behind that of its parent.
  ///
  /// Who holds its page may hold it, too, but only the index looks into it: as long as the page is held it stays there.
  final class Node: @unchecked Sendable {
    fileprivate let tokens: [Int32]
    fileprivate var page: CachePage?
    fileprivate var children: [Node] = []
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

  // By what rows depend on beside tokens; a root has no page.
  private var roots: [[String]: Node] = [:]
  private var uses = 0

  mutating func root(_ key: [String]) -> Node {
    let root = roots[key] ?? Node([], nil)
    roots[key] = root
    return root
  }

  /// The longest beginning of `tokens` that there is; nil where there is none.
  mutating func beginning(_ tokens: ArraySlice<Int32>, _ key: [String]) -> Beginning? {
    guard var node = roots[key] else { return nil }
    uses += 1
    var (found, rest) = (Beginning(), tokens)
    while !rest.isEmpty {
      let next = node.children.map { (node: $0, shared: $0.shared(rest)) }
        .max { $0.shared < $1.shared }
      guard let next, next.shared > 0, let page = next.node.page else { break }
      next.node.lastUse = uses
      found.pages.append(page)
      found.count += next.shared
      guard next.shared == next.node.tokens.count else { break }
      found.nodes.append(next.node)
      (node, rest) = (next.node, rest.dropFirst(next.shared))
    }
    return found.count > 0 ? found : nil
  }

  /// The node of `tokens` behind `parent`, and its page: another than `page` where they were there already.
  mutating func insert(
    _ page: CachePage, _ tokens: ArraySlice<Int32>, behind parent: Node
  ) -> (node: Node, page: CachePage) {
    uses += 1
    let known = parent.children.first { $0.shared(tokens) == tokens.count }
    let node = known ?? Node(Array(tokens), page)
    node.lastUse = uses
    if known == nil { parent.children.append(node) }
    return (node, node.page ?? page)
  }

  /// Removes the page that nobody holds and that was found the longest ago, of those with none behind them.
  mutating func takeUnheld() -> CachePage? {
    var oldest: (node: Node, parent: Node)?
    var open = Array(roots.values)
    while let parent = open.popLast() {
      for node in parent.children {
        guard node.children.isEmpty else {
          open.append(node)
          continue
        }
        guard isKnownUniquelyReferenced(&node.page) else { continue }
        if oldest.map({ node.lastUse < $0.node.lastUse }) ?? true { oldest = (node, parent) }
      }
    }
    guard let (node, parent) = oldest else { return nil }
    parent.children.removeAll { $0 === node }
    return node.page
  }
}
