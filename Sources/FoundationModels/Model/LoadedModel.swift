import AdapterStore
import Adapters
import Foundation
import LanguageModels
import Synchronization

/// An open base and what is added to it: all that a session needs.
struct LoadedModel: Sendable {
  let base: OpenBase
  let adapter: CheckedAdapter?
  /// What a response states that it was generated with.
  let assetIDs: [String]
  /// Tokens that a session holds at most.
  let contextSize: Int
  let threads: Int?
  let place: BasePlace
}

/// The model that a `SystemLanguageModel` has opened last: it stays open as long as that object lives.
final class HeldModel: Sendable {
  /// What a name came to, and what the files that say so looked like.
  private struct Found {
    let configuration: SystemLanguageModel.Configuration
    let root: String
    let stamp: StoreStamp
    let base: BasePlace
    let adapter: CheckedAdapter?

    var files: [String] { base.files + (adapter?.files ?? []) }
  }

  private let held = Mutex<(base: OpenBase?, found: Found?)>((nil, nil))

  /// Opens what `source` stands for now.
  func load(_ source: ModelSource) throws(ModelFailure) -> LoadedModel {
    let (place, adapter) = try resolve(source)
    let base = try place.open()
    held.withLock { $0.base = base }
    let configuration = SystemLanguageModel.configuration
    let limit = base.model.configuration.contextLength
    return LoadedModel(
      base: base, adapter: adapter,
      assetIDs: [base.identity(at: place)] + (adapter.map { [$0.identifier.description] } ?? []),
      contextSize: min(limit, max(1, configuration.contextSize ?? limit)),
      threads: configuration.threads, place: place)
  }
}

extension HeldModel {
  /// What `source` stands for; the store is read again only where its files have changed.
  private func resolve(
    _ source: ModelSource
  ) throws(ModelFailure) -> (base: BasePlace, adapter: CheckedAdapter?) {
    guard case .configured = source else { return try source.resolve() }
    let configuration = SystemLanguageModel.configuration
    let root = try configuration.storeRoot()
    if let found = held.withLock({ $0.found }), found.configuration == configuration,
      found.root == root, found.stamp == StoreStamp(of: found.files)
    {
      return (found.base, found.adapter)
    }
    let start = Date().timeIntervalSince1970
    let (base, adapter) = try source.resolve()
    let stamp = StoreStamp(of: base.files + (adapter?.files ?? []))
    held.withLock { held in
      held.found =
        stamp.isSettled(at: start)
        ? Found(
          configuration: configuration, root: root, stamp: stamp, base: base, adapter: adapter)
        : nil
    }
    return (base, adapter)
  }
}

extension OpenBase {
  /// The signature where it is known without reading the whole file, else the file's name.
  fileprivate func identity(at place: BasePlace) -> String {
    if let contract = place.contract { return contract.signature }
    return statedSignature ?? String(place.path.split(separator: "/").last ?? "")
  }
}

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

/// Why a model cannot be used: the reason is a sentence for developers.
struct ModelFailure: Error, Equatable {
  let reason: String
}
