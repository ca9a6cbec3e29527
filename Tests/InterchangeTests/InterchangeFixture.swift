import Adapters
import Foundation
import Interchange
import LanguageModels
import SystemFiles
import TensorFiles
import TestSupport
import Testing

/// Files that `tools/fixtures/make_interchange_fixtures.py` had other programs write, and the tiny bases that they are for.
enum InterchangeFixture {
  struct Case: Sendable, CustomTestStringConvertible {
    let form: ForeignForm
    let name: String
    var testDescription: String { "\(form) \(name)" }
    var path: String {
      InterchangeFixture.path("\(form)/\(name)" + (form == .gguf ? ".gguf" : ""))
    }
  }

  static let names = ["llama", "qwen2", "qwen3", "phi3"]
  static let cases = [ForeignForm.peft, .gguf, .mlx].flatMap { form in
    names.filter { form != .mlx || $0 != "phi3" }.map { Case(form: form, name: $0) }
  }

  static func path(_ name: String) -> String { Fixtures.path("InterchangeTests", name) }

  static func model(_ name: String) throws -> BaseModel {
    try BaseModel(path: Fixtures.path("LanguageModelsTests", "transformers/\(name).gguf"))
  }

  static func base(_ name: String) throws -> ExchangeBase { try ExchangeBase(try model(name)) }

  /// A base of `afm`, for the package and the checkpoint that are committed.
  static func afm(_ folder: TemporaryDirectory) throws -> BaseModel {
    try BaseConverter(plan: TensorTypePlan(type: .f32)).convert(
      Fixtures.path("LanguageModelsTests", "afm-tiny"), to: folder.path("afm.gguf"))
    return try BaseModel(path: folder.path("afm.gguf"))
  }

  static let afmPackage = Fixtures.path("AdaptersTests", "afm-tiny.fmadapter")

  /// The factors that the Python script put into the order of the base's file, by `blk.N.STEM.a` and `.b`.
  static func expected(_ name: String) throws -> [String: [UInt8]] {
    let file = try SafetensorsFile(
      path: Fixtures.path("LanguageModelsTests", "transformers/\(name).adapter.safetensors"))
    return Dictionary(uniqueKeysWithValues: file.tensors.map { ($0.name, $0.bytes.array) })
  }

  /// The same names for the layers of a package.
  static func factors(_ layers: [[LoRATarget: LowRankPair]]) -> [String: [UInt8]] {
    var factors: [String: [UInt8]] = [:]
    for (index, layer) in layers.enumerated() {
      for (target, pair) in layer {
        factors["blk.\(index).\(target.rawValue).a"] = pair.a.array
        factors["blk.\(index).\(target.rawValue).b"] = pair.b.array
      }
    }
    return factors
  }

  /// A package of random factors for all projections of `base`, each with an A of its own.
  static func package(
    for model: BaseModel, rank: Int = 3, alpha: Double = 5, seed: UInt64 = 1,
    name: String = "random", signature: String? = nil, in folder: TemporaryDirectory
  ) throws -> Adapter {
    var random = SeededGenerator(seed: seed)
    func halves(_ count: Int) -> TensorBytes {
      TensorBytes(littleEndianHalves(random.floats(count, in: -0.4..<0.4)))
    }
    let layers = try model.contract().layers.map { shapes in
      LoRATarget.allCases.reduce(into: [LoRATarget: LowRankPair]()) { layer, target in
        guard let shape = shapes[target] else { return }
        layer[target] = LowRankPair(
          a: halves(rank * shape.columns), b: halves(rank * shape.rows), rank: rank, shape: shape)
      }
    }
    var metadata = try AdapterMetadata(
      name: name, baseModelSignature: signature ?? model.signature(), loraRank: rank)
    metadata.statedSettings = AdapterSettings(
      alpha: alpha, architecture: model.configuration.architecture.rawValue)
    let path = try AdapterWriter.write(metadata, layers: layers, to: folder.path(name))
    return try Adapter(inspecting: path, base: model.contract())
  }

  /// The logits of every position of `prompt`.
  static func logits(
    _ model: BaseModel, _ adapters: [AppliedAdapter] = [], _ prompt: [Int32]
  ) throws -> [[Float]] {
    let session = try ModelSession(model, adapters: adapters)
    var rows: [[Float]] = []
    try session.evaluate(prompt) { _, logits in rows.append(Array(logits)) }
    return rows
  }

  /// The largest difference of two values at one place.
  static func worst(_ first: [[Float]], _ second: [[Float]]) -> Float {
    guard first.count == second.count else { return .infinity }
    return zip(first.joined(), second.joined()).reduce(0) { worst, pair in
      let difference = abs(pair.0 - pair.1)
      // Written so that not-a-number is a difference, too.
      return difference <= worst ? worst : difference
    }
  }
}

/// The error of `body`, which has to be one.
func failure(_ body: () throws -> Void) -> InterchangeError? {
  do {
    try body()
    return nil
  } catch { return error as? InterchangeError }
}
