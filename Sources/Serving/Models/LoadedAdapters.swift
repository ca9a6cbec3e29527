import Adapters
import FoundationEssentials
import LanguageModels
import Synchronization
import SystemFiles

/// Adapters that clients have loaded beside those that are installed, from folders that whoever runs the server has named.
///
/// Each is for the base in use. What answers goes on as it was when one is replaced or let go.
final class LoadedAdapters: Sendable {
  struct Entry: Sendable {
    let name: String
    let adapter: Adapter
    /// At the strength that it was trained for; requests that have it share its matrices.
    let applied: AppliedAdapter
    let speculation: Speculation
    let path: String
    let loaded: Date
  }

  /// Names of adapters that are loaded, at most.
  private static let limit = 64
  private static let nameLength = 1...128

  private let folders: [String]
  private let entries = Mutex<[String: Entry]>([:])

  init(folders: [String]) { self.folders = folders }

  /// Whether clients may load any.
  var isAllowed: Bool { !folders.isEmpty }

  subscript(name: String) -> Entry? { entries.withLock { $0[name] } }

  /// All of them, by name.
  var all: [Entry] { entries.withLock { $0.values.sorted { $0.name < $1.name } } }

  /// - Throws: `.forbidden` where nobody has allowed it.
  func checkAllowed() throws(ServingError) {
    guard isAllowed else {
      throw ServingError(
        .forbidden,
        "Clients may change no adapters here, unless whoever runs the server allows it.",
        code: "adapter_changes_not_allowed")
    }
  }

  /// Loads the package at `path` for `base`, after it was held against every rule.
  ///
  /// - Throws: What is wrong with the name, the path or the package; it says nothing of what lies elsewhere.
  func load(
    _ path: String, as name: String, on base: ServedBase, replacing: Bool
  ) throws(ServingError) {
    try Self.check(name)
    guard replacing || self[name] == nil else {
      throw ServingError(
        .invalidRequest, "lora_name: an adapter of this name is loaded already.",
        field: "lora_name", code: "adapter_already_loaded")
    }
    let place = try self.place(of: path)
    let entry: Entry
    do {
      let adapter = try Adapter(package: place, for: base.model.contract())
      let applied = AppliedAdapter(adapter)
      let speculation = try Speculation([applied], for: base.model, costs: nil)
      entry = Entry(
        name: name, adapter: adapter, applied: applied, speculation: speculation, path: place,
        loaded: Date())
    } catch {
      throw ServingError(
        .invalidRequest,
        "lora_path: this is no package that can be used on the base; a check of it says why.",
        field: "lora_path")
    }
    let left = try keep(entry, replacing: replacing)
    withExtendedLifetime(left) {}
  }

  private func keep(_ entry: Entry, replacing: Bool) throws(ServingError) -> Entry? {
    try entries.withLock { entries throws(ServingError) -> Entry? in
      guard replacing || entries[entry.name] == nil else {
        throw ServingError(
          .invalidRequest, "lora_name: an adapter of this name is loaded already.",
          field: "lora_name", code: "adapter_already_loaded")
      }
      guard entries[entry.name] != nil || entries.count < Self.limit else {
        throw ServingError(
          .invalidRequest, "There are \(Self.limit) adapters loaded, and may be no more.")
      }
      return entries.updateValue(entry, forKey: entry.name)
    }
  }

  /// Lets go of the adapter of this name.
  ///
  /// - Throws: `.notFound` where there is none.
  func unload(_ name: String) throws(ServingError) {
    let left = entries.withLock { $0.removeValue(forKey: name) }
    guard left != nil else {
      throw ServingError(
        .notFound, "lora_name: no adapter of this name was loaded.", field: "lora_name",
        code: "model_not_found")
    }
  }

  private static func check(_ name: String) throws(ServingError) {
    guard name.isName(of: nameLength, with: "-._") else {
      throw .invalid(
        "lora_name", "this has to be 1 to 128 letters, digits, dots, hyphens and underscores.")
    }
  }

  /// Where the package really lies that a client calls `path`, beginning at the root or in one of the folders.
  private func place(of path: String) throws(ServingError) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, path.utf8.count <= 4096, !path.utf8.contains(0), !parts.contains("..")
    else { throw .invalid("lora_path", "this has to be a path without '..'.") }
    for folder in folders {
      guard let root = try? FileSystem.resolved(folder),
        let place = try? FileSystem.resolved(path.hasPrefix("/") ? path : "\(root)/\(path)"),
        place.hasPrefix(root.hasSuffix("/") ? root : root + "/")
      else { continue }
      return place
    }
    throw ServingError(
      .notFound, "lora_path: there is no such package in the folders that may be loaded from.",
      field: "lora_path", code: "adapter_not_found")
  }
}
