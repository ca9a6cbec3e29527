public import Adapters
public import JSON

/// How two adapters differ: what their metadata say, and what they do to each projection.
///
/// Compared are updates, (alpha / rank) · B A: two pairs of factors may look nothing like each other and do the same.
public struct AdapterDifference: Sendable {
  /// A member of the metadata that differs.
  public struct Member: Sendable, Equatable {
    /// Path of the key, as in `creatorDefined.fmadapter.alpha`.
    public let key: String
    /// Its value in the first adapter; nil where it has none.
    public let first: JSONValue?
    /// Its value in the second adapter; nil where it has none.
    public let second: JSONValue?
  }

  /// The updates of one projection.
  public struct Tensor: Sendable, Equatable {
    /// Layer of the base, from 0.
    public let layer: Int
    /// Projection of that layer.
    public let target: LoRATarget
    /// Its outputs and inputs.
    public let shape: MatrixShape
    /// Frobenius norm of the first adapter's update; 0 where it has none.
    public let firstNorm: Double
    /// Frobenius norm of the second adapter's update; 0 where it has none.
    public let secondNorm: Double
    /// Norm of the difference, as a share of the first one's; nil where that is zero.
    public let change: Double?
    /// Cosine of the angle between the updates, -1 to 1; nil where one is zero.
    public let cosine: Double?
  }

  /// Members of the metadata that differ, ordered by key.
  public let metadata: [Member]
  /// Every projection that either adapter changes, in native order.
  public let tensors: [Tensor]
  /// Norm of the difference of all updates together, as a share of the first adapter's; nil where that is zero.
  public let change: Double?
  /// Cosine of the angle between all updates together; nil where one adapter's are zero.
  public let cosine: Double?
  /// Whether both have the same weights to the bit, and the same scale.
  public let hasSameUpdates: Bool

  /// Compares the packages at both paths; `base` gives the shapes, where it is known and an adapter's own.
  ///
  /// `isCancelled` is asked before each layer.
  ///
  /// - Throws: `InterchangeError.package` for one that breaks a rule, `.nothingShared`, or `.cancelled`.
  public init(
    _ first: String, _ second: String, base: BaseContract? = nil,
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(InterchangeError) {
    let (old, new) = try packaging { () throws(AdapterError) in
      (try Adapter(inspecting: first, base: base), try Adapter(inspecting: second, base: base))
    }
    guard old.hasShapes(of: new) else { throw .nothingShared(first: first, second: second) }
    metadata = Self.members(old, new)
    var (tensors, sums): ([Tensor], Products) = ([], Products())
    for layer in old.layers.indices {
      if isCancelled() { throw .cancelled }
      for target in LoRATarget.allCases {
        let pairs = (old.layers[layer][target], new.layers[layer][target])
        guard let shape = (pairs.0 ?? pairs.1)?.shape else { continue }
        let products = Products(
          pairs.0.map { LowRank($0, scale: old.scale) } ?? LowRank(),
          pairs.1.map { LowRank($0, scale: new.scale) } ?? LowRank())
        sums.add(products)
        tensors.append(
          Tensor(
            layer: layer, target: target, shape: shape,
            firstNorm: products.first.squareRoot(), secondNorm: products.second.squareRoot(),
            change: products.change, cosine: products.cosine))
      }
    }
    (self.tensors, change, cosine) = (tensors, sums.change, sums.cosine)
    hasSameUpdates = old.contentHash == new.contentHash && old.scale == new.scale
  }

  private static func members(_ first: Adapter, _ second: Adapter) -> [Member] {
    let (old, new) = (first.metadata.json.leaves, second.metadata.json.leaves)
    return Set(old.keys).union(new.keys).sorted().compactMap { key in
      old[key] == new[key] ? nil : Member(key: key, first: old[key], second: new[key])
    }
  }
}

/// Products of two updates with themselves and with each other.
private struct Products {
  var (first, second, difference, both) = (0.0, 0.0, 0.0, 0.0)

  init() {}

  init(_ old: LowRank, _ new: LowRank) {
    first = old.squaredNorm
    second = new.squaredNorm
    both = old.product(with: new)
    // Subtracted component by component: of two that are nearly the same, norms and product leave no digits.
    var rest = old
    rest.append(new.negated)
    difference = old.a == new.a && old.b == new.b ? 0 : rest.squaredNorm
  }

  mutating func add(_ other: Products) {
    first += other.first
    second += other.second
    difference += other.difference
    both += other.both
  }

  var change: Double? { first > 0 ? (difference / first).squareRoot() : nil }

  var cosine: Double? {
    first > 0 && second > 0 ? max(-1, min(1, both / (first * second).squareRoot())) : nil
  }
}

extension LowRank {
  /// The update of a package's pair.
  init(_ pair: LowRankPair, scale: Double) {
    self.init(a: pair.aMatrix, b: pair.bMatrix, scale: scale)
  }

  /// The update with the other sign.
  var negated: LowRank {
    var other = self
    other.b = b.map { $0.map { -$0 } }
    return other
  }
}

extension JSONObject {
  /// Every value that is no object, by the path of keys that leads to it.
  fileprivate var leaves: [String: JSONValue] {
    members.reduce(into: [:]) { leaves, member in
      guard let object = member.value.object, !object.isEmpty else {
        leaves[member.key] = member.value
        return
      }
      for (path, value) in object.leaves { leaves["\(member.key).\(path)"] = value }
    }
  }
}
