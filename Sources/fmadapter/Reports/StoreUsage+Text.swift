import AdapterStore

extension StoreUsage {
  /// Everything in the store, one line each.
  var table: TextTable {
    var table = TextTable(headings: ["KIND", "NAME", "SIZE", ""], rightAligned: [2])
    table.rows = items.map {
      [$0.kind.rawValue, $0.name, Figures.size($0.size), $0.isShared ? "shared" : ""]
    }
    return table
  }

  /// The sums.
  var facts: FactList {
    var facts = FactList()
    facts.add("store", root)
    for kind in Kind.allCases where items.contains(where: { $0.kind == kind }) {
      let count = items.count { $0.kind == kind }
      facts.add(kind.rawValue, "\(Figures.size(size(of: kind))) in \(count)")
    }
    facts.add("on disk", Figures.size(allocated))
    facts.add("free", "\(Figures.size(free)) of \(Figures.size(capacity))")
    return facts
  }
}
