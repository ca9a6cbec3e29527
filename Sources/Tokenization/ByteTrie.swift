/// Finds which of some texts start at a place of another text.
struct ByteTrie: Sendable {
  /// Where the edges of each node start in `edgeBytes` and `edgeTargets`; node 0 is the root.
  private var edgeStarts: [Int] = []
  private var edgeBytes: [UInt8] = []
  private var edgeTargets: [Int] = []
  /// The texts that end at each node: numbers of the first of them and of its equals.
  private var ends: [[Int]] = []
  private var rootEdges = [Int](repeating: -1, count: 256)

  /// Numbers `texts` from 0.
  init(_ texts: [[UInt8]]) {
    var nodes: [(depth: Int, texts: [Int])] = [(0, Array(texts.indices))]
    var node = 0
    while node < nodes.count {
      let (depth, members) = nodes[node]
      ends.append(members.filter { texts[$0].count == depth })
      edgeStarts.append(edgeBytes.count)
      var groups: [UInt8: [Int]] = [:]
      for member in members where texts[member].count > depth {
        groups[texts[member][depth], default: []].append(member)
      }
      for byte in groups.keys.sorted() {
        edgeBytes.append(byte)
        edgeTargets.append(nodes.count)
        if node == 0 { rootEdges[Int(byte)] = nodes.count }
        nodes.append((depth + 1, groups[byte] ?? []))
      }
      node += 1
    }
    edgeStarts.append(edgeBytes.count)
  }

  /// Calls `body` with the number of each text that starts at `start`.
  @inline(__always)
  func match(_ text: [UInt8], at start: Int, _ body: (Int) -> Void) {
    var node = rootEdges[Int(text[start])]
    var position = start
    while node >= 0 {
      for number in ends[node] { body(number) }
      position += 1
      guard position < text.count else { return }
      node = child(of: node, text[position])
    }
  }

  private func child(of node: Int, _ byte: UInt8) -> Int {
    for edge in edgeStarts[node]..<edgeStarts[node + 1] where edgeBytes[edge] == byte {
      return edgeTargets[edge]
    }
    return -1
  }
}
