/// Finds the word that was probably meant.
package enum Suggestion {
  /// The candidate nearest to `word`, or nil when none is near: at most one change per three
  /// letters, and at least one, but never of all letters.
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    allNearest(to: word, among: candidates).first
  }

  /// All candidates that are as near as that one, in their order.
  package static func allNearest(to word: String, among candidates: [String]) -> [String] {
    let length = word.count
    let limit = max(1, length / 3)
    // Words of files may have any length, and each letter more is a change.
    let ranked = candidates.filter { abs($0.count - length) <= limit }
      .map { ($0, distance(word, $0)) }.filter { $0.1 <= limit && $0.1 < length }
    let least = ranked.map(\.1).min()
    return ranked.filter { $0.1 == least }.map(\.0)
  }

  /// Fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a.lowercased()), Array(b.lowercased()))
    var rows = [[Int](0...b.count)]
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}
