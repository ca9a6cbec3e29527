import AdapterStore
public import Foundation
import Synchronization
import SystemFiles

extension SystemLanguageModel {
  /// What `default`, use cases and adapter names stand for in this process: an extension.
  ///
  /// Models look it up when they are first used and sessions keep what they have opened, so set it before either.
  public struct Configuration: Sendable, Equatable {
    /// Folder of the store; nil for that of the command line: `$FMADAPTER_HOME`, else `$XDG_DATA_HOME/fmadapter`, else
    /// `$HOME/.local/share/fmadapter`.
    public var store: URL?
    /// Name of the installed adapter that ``UseCase/contentTagging`` means; nil for none.
    public var contentTaggingAdapter: String?
    /// Tokens that a session holds at most; nil for as many as the base was trained for, which is the upper limit too.
    public var contextSize: Int?
    /// Threads that a session computes with, on which responses do not depend; nil for one per processor.
    public var threads: Int?
    /// How often this application may compile drafts within 24 hours; nil for any number.
    ///
    /// Apple's systems allow three.
    public var compilationLimit: Int?

    /// The store of the command line and the limits of the base, unless told otherwise.
    public init(
      store: URL? = nil, contentTaggingAdapter: String? = nil, contextSize: Int? = nil,
      threads: Int? = nil, compilationLimit: Int? = nil
    ) {
      self.store = store
      self.contentTaggingAdapter = contentTaggingAdapter
      self.contextSize = contextSize
      self.threads = threads
      self.compilationLimit = compilationLimit
    }
  }

  private static let configured = Mutex(Configuration())

  /// The configuration of this process: an extension.
  public static var configuration: Configuration {
    get { configured.withLock { $0 } }
    set { configured.withLock { $0 = newValue } }
  }
}

extension SystemLanguageModel.Configuration {
  /// Applications are told apart by the names of their executables.
  var compilationPolicy: CompilationPolicy {
    CompilationPolicy(limit: compilationLimit, application: ProcessInfo.processInfo.processName)
  }

  /// The store that models and adapters are looked for in.
  ///
  /// - Throws: `ModelFailure` when nothing says where it is.
  func openStore() throws(ModelFailure) -> AdapterStore {
    AdapterStore(root: try storeRoot(), tool: "FoundationModels")
  }

  /// Where that store is.
  ///
  /// - Throws: `ModelFailure` when nothing says where.
  func storeRoot() throws(ModelFailure) -> String {
    try asking { () throws(StoreError) in try root() }
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
    let bases = try asking { () throws(StoreError) in try store.bases().bases }
    return (bases.filter(\.isCurrent) + bases.filter { !$0.isCurrent }).map {
      BasePlace($0, in: store)
    }
  }

  /// The base in use.
  func currentBase() throws(ModelFailure) -> BasePlace {
    let store = try openStore()
    let base = try asking { () throws(StoreError) in try store.currentBase() }
    return BasePlace(base, in: store)
  }
}

/// What the store answers, with its errors as failures of the model.
func asking<Answer>(
  _ question: () throws(StoreError) -> Answer
) throws(ModelFailure) -> Answer {
  do throws(StoreError) {
    return try question()
  } catch {
    throw ModelFailure(reason: error.sentence)
  }
}

extension StoreError {
  /// The description as a sentence.
  var sentence: String { description.prefix(1).uppercased() + description.dropFirst() + "." }
}
