import AdapterStore
import ChatTemplates
import LanguageModels
import SystemFiles
import TensorFiles
import Tokenization

/// A base that is open, with what all requests over it share.
final class ServedBase: Sendable {
  let name: String
  let signature: String
  let model: BaseModel
  let tokenizer: Tokenizer
  let renderer: ChatRenderer
  /// Keys and values, found again by whoever has the same adapters and the same tokens.
  let pool: CachePool
  let passes: SharedPasses
  let threads: Int?
  /// What lists say of its tensors, which are many.
  let parameterSize: String
  let quantization: String

  /// Opens the file at `path`.
  ///
  /// - Throws: What is wrong with the base or its template.
  init(
    _ path: String, name: String, signature: String?, _ options: ServingOptions,
    prepare: (BaseModel) throws -> Void
  ) throws {
    model = try BaseModel(path: path)
    try prepare(model)
    tokenizer = try model.tokenizer()
    renderer = try ChatRenderer(ChatStyle(model.file.metadata, file: path), tokenizer: tokenizer)
    self.name = name
    self.signature = try signature ?? model.signature()
    pool = CachePool(model, format: options.cacheFormat, limit: options.cacheBytes)
    passes = SharedPasses(model, threads: options.threads)
    threads = options.threads
    (parameterSize, quantization) = (model.parameterSize, model.quantization)
  }

  var contextLength: Int { model.configuration.contextLength }
}

/// A base with adapters, as a request names them.
struct ServedModel: Sendable {
  /// As the request has it.
  let name: String
  let base: ServedBase
  let adapters: [AppliedAdapter]
  /// What lists of models call the adapters.
  var names: [String] = []
  /// What tokens are guessed by.
  let speculation: Speculation
  /// Keep `prune` away while somebody uses the model.
  var leases: [StoreLease] = []

  /// Another one wherever the same seed may give another text: of another base, other adapters, other scales.
  var fingerprint: String {
    let parts = [base.signature] + adapters.map { "\($0.contentHash) \($0.scale)" }
    return "fp_" + SHA256.hex(Array(parts.joined(separator: "\n").utf8)).prefix(12)
  }

  /// Whether its adapters act on an answer to `prompt`; false where the invocation of an activated one does not occur in it.
  func acts(on prompt: [Token]) -> Bool {
    adapters.allSatisfy { $0.start(in: prompt) < prompt.count }
  }

  /// What counts by adapter is counted as.
  var label: String {
    adapters.isEmpty ? base.name : adapters.map(\.identifier).joined(separator: "+")
  }
}
