import AdapterStore
import Adapters
import Foundation

extension SystemLanguageModel.Configuration {
  /// The store that models and adapters are looked for in.
  ///
  /// - Throws: `ModelFailure` when nothing says where it is.
  func openStore() throws(ModelFailure) -> AdapterStore {
    do throws(StoreError) {
      return AdapterStore(root: try root(), tool: "FoundationModels")
    } catch {
      throw ModelFailure(reason: error.sentence)
    }
  }

  private func root() throws(StoreError) -> String {
    if let store { return store.path }
    return try StoreLocation.root(
      environment: ProcessInfo.processInfo.environment,
      directory: FileManager.default.currentDirectoryPath)
  }

  /// The installed bases, the one in use first.
  func bases() throws(ModelFailure) -> [BasePlace] {
    let store = try openStore()
    let bases = try waiting { try await store.bases().bases }
    return (bases.filter(\.isCurrent) + bases.filter { !$0.isCurrent }).map {
      BasePlace($0, in: store)
    }
  }

  /// The base in use.
  func currentBase() throws(ModelFailure) -> BasePlace {
    let store = try openStore()
    return BasePlace(try waiting { try await store.currentBase() }, in: store)
  }
}

extension StoreError {
  /// The description as a sentence.
  var sentence: String { description.prefix(1).uppercased() + description.dropFirst() + "." }
}
