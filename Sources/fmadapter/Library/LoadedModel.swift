import AdapterStore
import LanguageModels

/// A base with the adapters that were asked for, ready for sessions.
struct LoadedModel {
  let model: LanguageModel
  let adapters: [AppliedAdapter]
  /// Keep `prune` away while the model is in use.
  var leases: [StoreLease] = []
}

/// What a command line says about the base and the adapters to load.
struct LoadRequest {
  /// As typed; nil for the base of the first adapter, or the one in use.
  let base: String?
  /// As typed, in order.
  let adapters: [String]
  /// Strength of each adapter that one was given for.
  let scales: [Float]
  /// False when the adapters only say which base is meant.
  var applies = true

  init(_ invocation: Invocation, adapters: [String]) throws {
    base = invocation.arguments.value(ModelOptions.base)
    scales = invocation.arguments.values(ModelOptions.scale)
    self.adapters = adapters
    guard scales.count <= adapters.count else {
      throw invocation.conflict(
        "--adapter-scale was given \(scales.count) times for \(adapters.count) adapter"
          + (adapters.count == 1 ? "" : "s"))
    }
  }
}
