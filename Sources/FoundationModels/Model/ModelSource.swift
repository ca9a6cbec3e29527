/// Where a model comes from; looked at anew each time it is asked for.
enum ModelSource: Sendable {
  /// The base in use of the configured store.
  case configured(SystemLanguageModel.UseCase)
  /// A base file.
  case file(path: String)
  /// An adapter that has been checked, with its base.
  case adapter(SystemLanguageModel.Adapter)
}

extension ModelSource {
  /// The base to open, and the adapter for it.
  func resolve() throws(ModelFailure) -> (base: BasePlace, adapter: CheckedAdapter?) {
    switch self {
    case .file(let path): return (BasePlace(path: path), nil)
    case .adapter(let adapter): return (adapter.base, adapter.checked)
    case .configured(let useCase):
      let configuration = SystemLanguageModel.configuration
      guard useCase == .contentTagging else { return (try configuration.currentBase(), nil) }
      guard let name = configuration.contentTaggingAdapter else {
        throw ModelFailure(
          reason: "No adapter for content tagging is configured; set "
            + "SystemLanguageModel.configuration.contentTaggingAdapter to the name of an installed one."
        )
      }
      do throws(SystemLanguageModel.Adapter.AssetError) {
        let adapter = try AdapterSearch(configuration).adapter(named: name)
        return (adapter.base, adapter.checked)
      } catch {
        throw ModelFailure(reason: error.context.debugDescription)
      }
    }
  }
}
