import Adapters
import Kernels
import SystemFiles

/// The update of one linear layer in full precision, rows in the order of its form: y += scale · B (A x).
struct ModuleUpdate: Sendable {
  let module: BaseModules.Module
  /// A `(rank, in)`.
  var a: FloatMatrix
  /// B `(out, rank)`.
  var b: FloatMatrix
  var scale: Double
  /// What messages call A and B.
  var names = (a: "", b: "")

  var rank: Int { a.rows }
}

/// The update of one projection in the order of the base's file.
struct PairUpdate: Sendable {
  let layer: Int
  let target: LoRATarget
  /// A `(rank, in)`.
  var a: FloatMatrix
  /// B `(out, rank)`.
  var b: FloatMatrix
  var scale: Double
  var names = (a: "", b: "")

  var rank: Int { a.rows }
}

extension BaseModules {
  /// The update of `module` as those of its projections.
  ///
  /// Where several share a matrix, components that change nothing of one projection are no part of its pair: what was put
  /// together of pairs comes apart again.
  func pairs(of update: ModuleUpdate) -> [PairUpdate] {
    let module = update.module
    return module.targets.map { target in
      let rows = rows(of: target, in: module)
      var b = update.b.part(rows: rows, columns: 0..<update.rank)
      if let order = order(of: target) {
        b = b.rows((0..<b.rows).map(order))
      }
      var a = update.a
      if let order = columnOrder(of: target) { a = a.columns((0..<a.columns).map(order)) }
      var pair = PairUpdate(
        layer: module.layer, target: target, a: a, b: b, scale: update.scale,
        names: update.names)
      if module.targets.count > 1 {
        let active = pair.b.columnsInUse
        if !active.isEmpty { pair.keep(active) }
      }
      pair.trim()
      return pair
    }
  }

  /// The updates of a package's layers as those of the form's linear layers; what is zero is left out.
  func updates(of layers: [[LoRATarget: LowRankPair]], scale: Double) -> [ModuleUpdate] {
    modules.compactMap { module in
      let pairs = module.targets.compactMap { target in
        layers[module.layer][target].map { pair in (target, pair) }
      }
      guard !pairs.isEmpty else { return nil }
      let update =
        pairs.count > 1 && pairs.contains { $0.1.a.array != pairs[0].1.a.array }
        ? stacked(module, pairs, scale) : joined(module, pairs, scale)
      return update.a.values.contains { $0 != 0 } || update.b.values.contains { $0 != 0 }
        ? update : nil
    }
  }

  /// One A for all: B above B.
  private func joined(
    _ module: Module, _ pairs: [(LoRATarget, LowRankPair)], _ scale: Double
  ) -> ModuleUpdate {
    var b = FloatMatrix(rows: module.shape.rows, columns: pairs[0].1.rank)
    for (target, pair) in pairs {
      b.add(ordered(pair, target), atRow: rows(of: target, in: module).lowerBound, column: 0)
    }
    var a = pairs[0].1.aMatrix
    if let order = columnOrder(of: pairs[0].0) { a = a.columns(Self.places(a.columns, order)) }
    return ModuleUpdate(module: module, a: a, b: b, scale: scale)
  }

  /// An A for each: A above A, each B in rows and columns of its own.
  private func stacked(
    _ module: Module, _ pairs: [(LoRATarget, LowRankPair)], _ scale: Double
  ) -> ModuleUpdate {
    let rank = pairs.reduce(0) { $0 + $1.1.rank }
    var a = FloatMatrix(rows: rank, columns: module.shape.columns)
    var b = FloatMatrix(rows: module.shape.rows, columns: rank)
    var start = 0
    for (target, pair) in pairs {
      a.add(pair.aMatrix, atRow: start, column: 0)
      b.add(ordered(pair, target), atRow: rows(of: target, in: module).lowerBound, column: start)
      start += pair.rank
    }
    return ModuleUpdate(module: module, a: a, b: b, scale: scale)
  }

  /// B with its rows as the form has them.
  private func ordered(_ pair: LowRankPair, _ target: LoRATarget) -> FloatMatrix {
    let b = pair.bMatrix
    guard let order = order(of: target) else { return b }
    return b.rows(Self.places(b.rows, order))
  }

  /// The inverse of an order of `count` places.
  private static func places(_ count: Int, _ order: (Int) -> Int) -> [Int] {
    var places = [Int](repeating: 0, count: count)
    for index in 0..<count { places[order(index)] = index }
    return places
  }
}

extension PairUpdate {
  /// Keeps the components at `places` alone.
  mutating func keep(_ places: [Int]) {
    guard places.count < rank else { return }
    a = a.rows(places)
    b = b.transposed().rows(places).transposed()
  }

  /// Drops components behind the last that is not zero in both factors.
  mutating func trim() {
    let width = a.columns
    let inB = Set(b.columnsInUse)
    let last = (0..<rank).last { index in
      inB.contains(index) || a.values[index * width..<(index + 1) * width].contains { $0 != 0 }
    }
    keep(Array(0..<(last.map { $0 + 1 } ?? 0)))
  }
}

extension ModuleUpdate {
  /// Drops components behind the last that is not zero in both factors.
  mutating func trim() {
    var pair = PairUpdate(layer: 0, target: .query, a: a, b: b, scale: scale)
    pair.trim()
    (a, b) = (pair.a, pair.b)
  }

  /// Adds components of zeros, up to `rank`.
  mutating func pad(to rank: Int) { (a, b) = (a.padded(rows: rank), b.padded(columns: rank)) }
}

extension FloatMatrix {
  /// The columns at `places`, in that order.
  func columns(_ places: [Int]) -> FloatMatrix { transposed().rows(places).transposed() }

  /// Columns that are not zero throughout.
  var columnsInUse: [Int] {
    var isUsed = [Bool](repeating: false, count: columns)
    for (index, value) in values.enumerated() where value != 0 { isUsed[index % columns] = true }
    return isUsed.indices.filter { isUsed[$0] }
  }

  /// The same with zeros below, up to `count` rows.
  func padded(rows count: Int) -> FloatMatrix {
    guard count > rows else { return self }
    return FloatMatrix(
      rows: count, columns: columns,
      values: values + [Float](repeating: 0, count: (count - rows) * columns))
  }

  /// The same with zeros to the right, up to `count` columns.
  func padded(columns count: Int) -> FloatMatrix {
    guard count > columns else { return self }
    var wide = FloatMatrix(rows: rows, columns: count)
    wide.add(self, atRow: 0, column: 0)
    return wide
  }

  /// The values in half precision.
  var halves: TensorBytes { TensorBytes(quantize(.f16, values: values)) }
}
