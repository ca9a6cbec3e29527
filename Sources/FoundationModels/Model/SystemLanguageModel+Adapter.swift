import AdapterStore
import Adapters
public import Foundation
import JSON

extension SystemLanguageModel {
  /// A `.fmadapter` package that has been checked against the base that it was made for.
  ///
  /// Everything that the format and the base demand is checked when a value is made, before anything runs; nothing ever
  /// falls back to the base alone.
  public struct Adapter: Sendable {
    let base: BasePlace
    let checked: CheckedAdapter

    init(_ checked: CheckedAdapter, _ base: BasePlace) {
      (self.checked, self.base) = (checked, base)
    }

    /// The package in the folder at `fileURL`, for the installed base that it names.
    ///
    /// - Throws: ``AssetError/invalidAsset(_:)`` with every finding of the check, or
    ///   ``AssetError/compatibleAdapterNotFound(_:)`` when its base is not installed.
    public init(fileURL: URL) throws {
      self = try AdapterSearch(SystemLanguageModel.configuration).package(at: fileURL)
    }

    /// The package in the folder at `fileURL`, for the base in the GGUF file at `base`: an extension.
    ///
    /// - Throws: ``AssetError/invalidAsset(_:)`` with every finding of the check, or
    ///   ``AssetError/compatibleAdapterNotFound(_:)`` when the package is for another base or `base` cannot be opened.
    public init(fileURL: URL, base: URL) throws {
      self = try AdapterSearch(SystemLanguageModel.configuration).package(at: fileURL, base: base)
    }

    /// The installed adapter `name` that fits the base in use; an identifier is no name.
    ///
    /// - Throws: ``AssetError/invalidAdapterName(_:)`` for anything but ASCII letters, digits and underscores,
    ///   ``AssetError/compatibleAdapterNotFound(_:)`` when the store has no such adapter for the base in use, or
    ///   ``AssetError/invalidAsset(_:)`` when what is installed has been damaged.
    public init(name: String) throws {
      self = try AdapterSearch(SystemLanguageModel.configuration).adapter(named: name)
    }

    /// What the adapter's creator wrote into its metadata: JSON as Foundation has it.
    ///
    /// Objects are dictionaries, arrays are arrays, null is `NSNull`, and numbers are `Int` where they are integers
    /// within 64 bits, else `Double`. Settings that this library reads are in the member `fmadapter`.
    public var creatorDefinedMetadata: [String: Any] {
      checked.metadata.creatorDefined?.foundation ?? [:]
    }

    /// Gets what the adapter carries for guessing ready for this machine: its draft model, or its suffix store.
    ///
    /// It is checked and timed once, and what was found is kept in the configured store; a second call returns at once.
    /// Responses are the same without, only slower. An adapter that carries nothing has nothing to get ready.
    ///
    /// - Throws: ``AssetError/invalidAsset(_:)`` for a draft that cannot be used here, Apple's among them,
    ///   ``CompilationError/limitReached(_:)`` where
    ///   ``SystemLanguageModel/Configuration/compilationLimit`` allows no more, or `CancellationError`.
    public func compile() async throws {
      let configuration = SystemLanguageModel.configuration
      do {
        _ = try await configuration.openStore().compile(
          package: checked.path, for: base.open().model, threads: configuration.threads,
          policy: configuration.compilationPolicy)
      } catch let error as ModelFailure {
        throw AssetError.invalidAsset(error.reason)
      } catch let error as StoreError {
        if error.code == .cancelled { throw CancellationError() }
        if error.code == .compilationLimit {
          throw CompilationError.limitReached(
            AssetError.Context(debugDescription: error.sentence))
        }
        throw AssetError.invalidAsset(error.sentence)
      }
    }
  }
}

extension SystemLanguageModel.Adapter {
  /// Why a draft is not compiled now: an extension.
  public enum CompilationError: LocalizedError, Sendable {
    /// This application has compiled as often as its configuration allows.
    case limitReached(AssetError.Context)

    /// What is known of the error.
    public var context: AssetError.Context {
      switch self {
      case .limitReached(let context): context
      }
    }

    /// One sentence for people, and the details.
    public var errorDescription: String? {
      "The adapter cannot be compiled again today. \(context.debugDescription)"
    }

    /// What is wrong in detail, and what to do.
    public var recoverySuggestion: String? { context.debugDescription }
  }
}

extension SystemLanguageModel.Adapter {
  /// The identifiers that the adapter `name` has for the installed bases, whether such an adapter exists or not: the
  /// base in use first.
  ///
  /// They say which adapter to download. Empty when no base is installed or `name` is no name.
  public static func compatibleAdapterIdentifiers(name: String) -> [String] {
    let bases = (try? SystemLanguageModel.configuration.bases()) ?? []
    return bases.compactMap { base in
      base.contract.flatMap { AdapterIdentifier(name: name, signature: $0.signature) }?.description
    }
  }

  /// Removes the installed adapters whose base is not installed, and drafts that were compiled for them.
  ///
  /// What a session has open stays, and so does everything while no base is installed at all.
  ///
  /// - Throws: `StoreError` when the store cannot be read; ``AssetError/invalidAsset(_:)`` when the system refuses to
  ///   remove something, after the rest has been removed.
  public static func removeObsoleteAdapters() throws {
    let configuration = SystemLanguageModel.configuration
    guard try !configuration.bases().isEmpty else { return }
    let store = try configuration.openStore()
    let results = try asking { () throws(StoreError) in
      try store.prune(
        store.prunable(PruneSelection(kinds: [.adapter, .compiled])).filter { !$0.isInUse })
    }
    let failures = results.filter { $0.outcome == .failed }
    guard failures.isEmpty else {
      throw AssetError.invalidAsset(
        failures.map { "\($0.item.name) cannot be removed: \($0.reason ?? "")." }
          .joined(separator: " "))
    }
  }
}

extension SystemLanguageModel.Adapter {
  /// Why an adapter cannot be used.
  public enum AssetError: LocalizedError, Sendable {
    /// The files are not those of an adapter that could run.
    case invalidAsset(Context)
    /// The text is no adapter's name.
    case invalidAdapterName(Context)
    /// There is no such adapter for the base, or no such base.
    case compatibleAdapterNotFound(Context)

    /// What is known of the error.
    public struct Context: Sendable {
      /// What is wrong, where, and what to do, for developers.
      public let debugDescription: String

      /// A context with this description.
      public init(debugDescription: String) { self.debugDescription = debugDescription }
    }

    /// What is known of the error.
    public var context: Context {
      switch self {
      case .invalidAsset(let context), .invalidAdapterName(let context),
        .compatibleAdapterNotFound(let context):
        context
      }
    }

    /// One sentence for people, and the details.
    public var errorDescription: String? {
      let wrong =
        switch self {
        case .invalidAsset: "The adapter's files cannot be used."
        case .invalidAdapterName: "This is not the name of an adapter."
        case .compatibleAdapterNotFound:
          "There is no such adapter for the installed language model."
        }
      return "\(wrong) \(context.debugDescription)"
    }

    /// What is wrong in detail, and what to do.
    public var recoverySuggestion: String? { context.debugDescription }
  }
}

extension SystemLanguageModel.Adapter.AssetError {
  static func invalidAsset(_ text: String) -> Self {
    .invalidAsset(Context(debugDescription: text))
  }

  static func compatibleAdapterNotFound(_ text: String) -> Self {
    .compatibleAdapterNotFound(Context(debugDescription: text))
  }
}

extension JSONObject {
  /// The members as Foundation's JSON reader would give them.
  var foundation: [String: Any] {
    Dictionary(
      members.map { ($0.key, $0.value.foundation) }, uniquingKeysWith: { first, _ in first })
  }
}

extension JSONValue {
  /// The value as Foundation's JSON reader would give it.
  var foundation: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .number(let number):
      if let integer = number.integer { integer } else { number.double }
    case .string(let text): text
    case .array(let values): values.map(\.foundation)
    case .object(let object): object.foundation
    }
  }
}
