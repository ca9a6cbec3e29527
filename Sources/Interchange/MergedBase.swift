public import Adapters
import Kernels
public import LanguageModels
import TensorFiles

/// A base with adapters in its weights, on its way into a file.
public struct MergedBase {
  private let merger: BaseMerger
  private let model: BaseModel
  /// The types of the weights that change, which are those of the result, in order of their names.
  public let types: [String]

  /// Adds `adapters`, each times its weight, to the weights of `model`.
  ///
  /// - Throws: `InterchangeError.otherBase`, `.activated`, or `.unwritableType` for a weight that cannot be written as it is stored.
  public init(
    _ adapters: [(adapter: Adapter, weight: Double)], into model: BaseModel
  ) throws(InterchangeError) {
    let modules = try BaseModules(ExchangeBase(model), in: .gguf)
    var updates: [String: [BaseMerger.Update]] = [:]
    var types: Set<String> = []
    for (adapter, weight) in adapters {
      guard adapter.metadata.baseModelSignature == modules.base.contract.signature else {
        throw .otherBase(first: adapter.identifier.description, second: model.path)
      }
      guard adapter.invocation == nil else {
        throw .activated(
          identifier: adapter.identifier.description, problem: "and weights act on all tokens")
      }
      for module in modules.modules {
        let name = module.name + ".weight"
        for target in module.targets {
          guard let pair = adapter.layers[module.layer][target] else { continue }
          let type = model.file.tensor(named: name)?.type ?? .f32
          guard type.isWritable else {
            throw .unwritableType(path: model.path, tensor: name, type: type.name)
          }
          types.insert(type.name)
          updates[name, default: []].append(
            .init(
              firstRow: modules.rows(of: target, in: module).lowerBound, pair: pair,
              scale: adapter.scale * weight))
        }
      }
    }
    self.types = types.sorted()
    self.model = model
    merger = BaseMerger(
      updates,
      contents: adapters.map { "\($0.adapter.contentHash) \($0.adapter.scale * $0.weight)" })
  }

  /// Writes the base to `path`, which appears complete or not at all; what stands there is replaced.
  ///
  /// - Returns: What rounding to the types of the weights took from the updates, as a share of their norm.
  /// - Throws: `InterchangeError.base` or `.cancelled`.
  @discardableResult public func write(
    to path: String, progress: (BaseProgress) -> Void = { _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(InterchangeError) -> Double {
    do throws(BaseModelError) {
      return try merger.merge(model.path, to: path, progress: progress, isCancelled: isCancelled)
    } catch {
      throw error == .cancelled ? .cancelled : .base(error)
    }
  }
}
