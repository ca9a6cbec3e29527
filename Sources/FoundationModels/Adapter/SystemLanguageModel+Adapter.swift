import Adapters
public import Foundation

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

    /// Gets a draft model ready for use.
    ///
    /// An adapter without a draft model has nothing to get ready.
    ///
    /// - Throws: ``AssetError/invalidAsset(_:)`` for an adapter with one: draft models are not used yet. The adapter
    ///   works without it, only not faster.
    public func compile() async throws {
      guard checked.hasDraft else { return }
      throw AssetError.invalidAsset(
        "The draft model of \(checked.identifier) cannot be compiled: draft models are not used yet. "
          + "The adapter works without it.")
    }
  }
}
