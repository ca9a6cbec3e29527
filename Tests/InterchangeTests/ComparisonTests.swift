import Adapters
import Foundation
import Interchange
import Kernels
import LanguageModels
import TensorFiles
import TestSupport
import Testing

@Suite struct AdapterDifferenceTests {
  @Test func anAdapterIsLikeItself() throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.model("llama")
    _ = try InterchangeFixture.package(for: model, in: folder)
    let path = folder.path("random.fmadapter")
    let difference = try AdapterDifference(path, path)
    #expect(difference.hasSameUpdates)
    #expect(difference.metadata.isEmpty)
    #expect(difference.change == 0)
    #expect(abs((difference.cosine ?? 0) - 1) < 1e-12)
    #expect(difference.tensors.count == 14)
  }

  /// Another alpha makes every update longer, and points it nowhere else.
  @Test func alphaCounts() throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.model("llama")
    _ = try InterchangeFixture.package(for: model, alpha: 5, name: "first", in: folder)
    _ = try InterchangeFixture.package(for: model, alpha: 7.5, name: "second", in: folder)
    let difference = try AdapterDifference(
      folder.path("first.fmadapter"), folder.path("second.fmadapter"))
    #expect(!difference.hasSameUpdates)
    #expect(
      difference.metadata.map(\.key) == ["adapterIdentifier", "creatorDefined.fmadapter.alpha"])
    #expect(difference.metadata[1].first?.number?.double == 5)
    for tensor in difference.tensors {
      #expect(abs((tensor.change ?? 0) - 0.5) < 1e-9)
      #expect(abs((tensor.cosine ?? 0) - 1) < 1e-9)
      #expect(abs(tensor.secondNorm - 1.5 * tensor.firstNorm) < 1e-9)
    }
  }

  /// Figures of small matrices that are multiplied out here.
  @Test func figuresAreThoseOfTheProducts() throws {
    let folder = try TemporaryDirectory()
    let model = try InterchangeFixture.model("llama")
    let adapters = try [(1, "first"), (2, "second")].map { seed, name in
      try InterchangeFixture.package(for: model, seed: UInt64(seed), name: name, in: folder)
    }
    let difference = try AdapterDifference(
      folder.path("first.fmadapter"), folder.path("second.fmadapter"))
    for tensor in difference.tensors where tensor.layer == 1 {
      let products = try adapters.map { adapter in
        Self.product(try #require(adapter.layers[1][tensor.target]), adapter.scale)
      }
      let norms = products.map { sqrt(zip($0, $0).reduce(0) { $0 + $1.0 * $1.1 }) }
      let both = zip(products[0], products[1]).reduce(0) { $0 + $1.0 * $1.1 }
      let rest = sqrt(
        zip(products[0], products[1]).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) })
      #expect(abs(tensor.firstNorm - norms[0]) < 1e-9 * norms[0])
      #expect(abs(tensor.secondNorm - norms[1]) < 1e-9 * norms[1])
      #expect(abs((tensor.change ?? 0) - rest / norms[0]) < 1e-9)
      #expect(abs((tensor.cosine ?? 0) - both / (norms[0] * norms[1])) < 1e-9)
    }
  }

  static func product(_ pair: LowRankPair, _ scale: Double) -> [Double] {
    let (a, b) = (dequantize(.f16, bytes: pair.a), dequantize(.f16, bytes: pair.b))
    let (rank, rows, columns) = (pair.rank, pair.shape.rows, pair.shape.columns)
    var product = [Double](repeating: 0, count: rows * columns)
    for row in 0..<rows {
      for k in 0..<rank {
        let factor = Double(b[row * rank + k]) * scale
        for column in 0..<columns {
          product[row * columns + column] += factor * Double(a[k * columns + column])
        }
      }
    }
    return product
  }

  @Test func adaptersOfOtherShapesHaveNothingInCommon() throws {
    let folder = try TemporaryDirectory()
    _ = try InterchangeFixture.package(
      for: InterchangeFixture.model("llama"), name: "first", in: folder)
    _ = try InterchangeFixture.package(
      for: InterchangeFixture.model("phi3"), name: "second", in: folder)
    let paths = ["first", "second"].map { folder.path($0 + ".fmadapter") }
    let error = failure { _ = try AdapterDifference(paths[0], paths[1]) }
    #expect(
      error?.description
        == "\(paths[0]) and \(paths[1]) have no tensor of one place and shape; compare adapters of one base"
    )
  }
}

@Suite struct AdapterMergerTests {
  private let folder: TemporaryDirectory
  private let model: BaseModel
  private let first: Adapter
  private let second: Adapter

  init() throws {
    folder = try TemporaryDirectory()
    model = try InterchangeFixture.model("qwen3")
    first = try InterchangeFixture.package(
      for: model, rank: 3, alpha: 2, seed: 1, name: "first", in: folder)
    second = try InterchangeFixture.package(
      for: model, rank: 2, alpha: 3, seed: 2, name: "second", in: folder)
  }

  /// The merged package does what both do at once, with their weights.
  @Test func ranksAreConcatenated() throws {
    let merger = try AdapterMerger([(first, 0.5), (second, -0.25)])
    #expect(merger.rank == 5)
    #expect(merger.loss == nil)
    let path = try merger.write(name: "both", to: folder.path("both"))
    let both = try Adapter(package: path, for: model.contract())
    #expect(both.rank == 5)
    let prompt: [Int32] = [5, 17, 99, 3, 140, 62]
    let merged = try InterchangeFixture.logits(model, [AppliedAdapter(both)], prompt)
    let apart = try InterchangeFixture.logits(
      model, [AppliedAdapter(first, strength: 0.5), AppliedAdapter(second, strength: -0.25)],
      prompt)
    #expect(InterchangeFixture.worst(merged, apart) < 0.02)
    let plain = try InterchangeFixture.logits(model, [], prompt)
    #expect(InterchangeFixture.worst(merged, plain) > 0.3)
  }

  /// An adapter plus itself has twice the rank, and a cut to the rank of one loses nothing.
  @Test func aCutFindsWhatIsThereTwice() throws {
    let merger = try AdapterMerger([(first, 1), (first, 1)], rank: 3)
    #expect(merger.rank == 3)
    #expect(try #require(merger.loss).total < 1e-6)
    for (index, layer) in merger.layers.enumerated() {
      for (target, pair) in layer {
        let scale = merger.alpha / Double(merger.rank)
        let sum = AdapterDifferenceTests.product(pair, scale)
        let one = AdapterDifferenceTests.product(
          try #require(first.layers[index][target]), 2 * first.scale)
        let (error, size) = (
          zip(sum, one).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) },
          one.reduce(0) { $0 + $1 * $1 }
        )
        #expect(error < 1e-6 * size)
      }
    }
  }

  /// What is stated as lost is what is missing, and no rank-1 matrix comes closer than the largest singular value's.
  @Test func theStatedLossIsWhatIsMissing() throws {
    let merger = try AdapterMerger([(first, 1), (second, 1)], rank: 1)
    let loss = try #require(merger.loss)
    var (missing, all, worst) = (0.0, 0.0, 0.0)
    for (index, layer) in merger.layers.enumerated() {
      for (target, pair) in layer {
        let kept = AdapterDifferenceTests.product(pair, merger.alpha / Double(merger.rank))
        var sum = AdapterDifferenceTests.product(
          try #require(first.layers[index][target]), first.scale)
        let other = AdapterDifferenceTests.product(
          try #require(second.layers[index][target]), second.scale)
        for place in sum.indices { sum[place] += other[place] }
        let lost = zip(sum, kept).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let size = sum.reduce(0) { $0 + $1 * $1 }
        missing += lost
        all += size
        worst = max(worst, sqrt(lost / size))
        // What is kept is orthogonal to what is lost: their squares add up.
        let rest = kept.reduce(0) { $0 + $1 * $1 }
        #expect(abs(rest + lost - size) < 1e-3 * size)
      }
    }
    #expect(abs(loss.total - sqrt(missing / all)) < 1e-3)
    #expect(abs(loss.worst - worst) < 1e-3)
    #expect(loss.total > 0.5)
    #expect(loss.worstName.hasPrefix("blk."))
  }

  @Test func bothCanBeStopped() throws {
    var layers: [Int] = []
    let error = failure {
      _ = try AdapterMerger(
        [(first, 1), (second, 1)], rank: 1, progress: { layer, _ in layers.append(layer) },
        isCancelled: { layers.count == 1 })
    }
    #expect(error == .cancelled)
    #expect(layers == [0])
    let path = folder.path("first.fmadapter")
    #expect(
      failure { _ = try AdapterDifference(path, path, isCancelled: { true }) } == .cancelled)
  }

  @Test func adaptersOfTwoBasesAreRefused() throws {
    let other = try InterchangeFixture.package(
      for: InterchangeFixture.model("qwen2"), name: "other", in: folder)
    let error = failure { _ = try AdapterMerger([(first, 1), (other, 1)]) }
    #expect(
      error?.description
        == "\(first.identifier) and \(other.identifier) are for different bases; use adapters of one base"
    )
    // A package may say anything; shapes are what counts.
    let liar = try InterchangeFixture.package(
      for: InterchangeFixture.model("gemma3"), name: "liar", signature: model.signature(),
      in: folder)
    #expect(
      failure { _ = try AdapterMerger([(first, 1), (liar, 1)]) }
        == .otherBase(
          first: first.identifier.description, second: liar.identifier.description))
  }
}

@Suite struct MergedBaseTests {
  /// A base with the adapters in its weights says what the base says with the adapters beside it.
  @Test(arguments: ["llama", "phi3", "qwen2"])
  func aMergedBaseSaysTheSame(name: String) throws {
    let folder = try TemporaryDirectory()
    let source = Fixtures.path("LanguageModelsTests", "transformers/\(name).gguf")
    try BaseQuantizer(plan: TensorTypePlan(type: .f32)).quantize(
      source, to: folder.path("f32.gguf"))
    let model = try BaseModel(path: folder.path("f32.gguf"))
    let adapters = try [(1, "first", 0.5), (2, "second", 2)].map { seed, name, weight in
      (
        adapter: try InterchangeFixture.package(
          for: model, alpha: 1, seed: UInt64(seed), name: name, in: folder), weight: weight
      )
    }
    let merged = try MergedBase(adapters, into: model)
    #expect(merged.types == ["F32"])
    try merged.write(to: folder.path("merged.gguf"))
    let result = try BaseModel(path: folder.path("merged.gguf"))
    let prompt: [Int32] = [5, 17, 99, 3, 140, 62]
    let expected = try InterchangeFixture.logits(
      model, adapters.map { AppliedAdapter($0.adapter, strength: $0.weight) }, prompt)
    let own = try InterchangeFixture.logits(result, [], prompt)
    #expect(InterchangeFixture.worst(own, expected) < 1e-3)
    #expect(try result.signature() != model.signature())
    #expect(try result.signature().count == 40)
    // The same merge has the same signature, and another one another.
    try MergedBase(Array(adapters.prefix(1)), into: model).write(to: folder.path("other.gguf"))
    let other = try BaseModel(path: folder.path("other.gguf"))
    #expect(try ![result.signature(), model.signature()].contains(other.signature()))
  }

  @Test func everyTensorKeepsItsType() throws {
    let folder = try TemporaryDirectory()
    let source = Fixtures.path("LanguageModelsTests", "transformers/llama.gguf")
    try BaseQuantizer(plan: TensorTypePlan(type: .q8_0)).quantize(
      source, to: folder.path("q8.gguf"))
    let model = try BaseModel(path: folder.path("q8.gguf"))
    let adapter = try InterchangeFixture.package(for: model, in: folder)
    let lost = try MergedBase([(adapter, 1)], into: model).write(to: folder.path("merged.gguf"))
    // What rounding loses is told, by what comes of the same weights as floats.
    try BaseQuantizer(plan: TensorTypePlan(type: .f32)).quantize(
      folder.path("q8.gguf"), to: folder.path("fine.gguf"))
    let exact = try MergedBase([(adapter, 1)], into: BaseModel(path: folder.path("fine.gguf")))
      .write(to: folder.path("exact.gguf"))
    let values = try ["fine", "exact", "merged"].map { name in
      try GGUFFile(path: folder.path(name + ".gguf")).tensors.map {
        dequantize($0.type, bytes: $0.bytes)
      }
    }
    func distance(_ first: Int, _ second: Int) -> Double {
      zip(values[first], values[second]).reduce(0) { sum, pair in
        zip(pair.0, pair.1).reduce(sum) { $0 + pow(Double($1.0 - $1.1), 2) }
      }.squareRoot()
    }
    let expected = distance(1, 2) / distance(0, 1)
    #expect(exact < 1e-6 && expected > 1e-4)
    #expect(abs(lost - expected) < 1e-3 * expected, "\(lost) \(expected)")
    let (before, after) = (
      try GGUFFile(path: folder.path("q8.gguf")), try GGUFFile(path: folder.path("merged.gguf"))
    )
    #expect(before.tensors.map(\.type) == after.tensors.map(\.type))
    let changed = zip(before.tensors, after.tensors).filter { $0.bytes.array != $1.bytes.array }
    #expect(changed.count == 14)
    #expect(
      Set(before.metadata.keys).symmetricDifference(after.metadata.keys).isEmpty)
  }

  @Test func anAdapterOfAnotherBaseIsRefused() throws {
    let folder = try TemporaryDirectory()
    let adapter = try InterchangeFixture.package(
      for: InterchangeFixture.model("qwen2"), in: folder)
    let model = try InterchangeFixture.model("llama")
    let error = failure { _ = try MergedBase([(adapter, 1)], into: model) }
    #expect(error == .otherBase(first: adapter.identifier.description, second: model.path))
  }
}
