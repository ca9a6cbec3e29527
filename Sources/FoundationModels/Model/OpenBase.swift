import AdapterStore
import Adapters
import ChatTemplates
import Foundation
import LanguageModels
import Synchronization
import SystemFiles
import TensorFiles

/// A base that is open in this process: once, whoever uses it.
final class OpenBase: Sendable {
  let model: BaseModel
  let renderer: ChatRenderer
  /// Languages that the file states, as BCP 47 codes; empty when it states none.
  let languages: [String]
  /// The signature that the file carries; nil when it would have to be computed from all of its bytes.
  let statedSignature: String?

  /// By the number of threads.
  private let passes = Mutex<[Int?: SharedPasses]>([:])

  /// What its sessions with so many worker threads share passes by.
  func passes(threads: Int?) -> SharedPasses {
    passes.withLock { passes in
      if let made = passes[threads] { return made }
      let made = SharedPasses(model, threads: threads)
      passes[threads] = made
      return made
    }
  }

  private init(_ path: String, in store: AdapterStore?) throws {
    try store?.checkBase(at: path)
    model = try BaseModel(path: path)
    // Whatever is wrong with that, the base itself is there.
    _ = try? store?.useCompiled(for: model)
    let metadata = model.file.metadata
    renderer = try ChatRenderer(
      ChatStyle(metadata, file: path), tokenizer: model.tokenizer())
    statedSignature = (try? metadata.string("fmadapter.base.signature")) ?? nil
    let codes = (try? metadata.strings("general.languages")) ?? nil
    languages = (codes.map(Array.init) ?? []).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Tells one file from every other: a base that is replaced at the same path is another one.
  private struct Key: Hashable {
    let device, inode: UInt64
    let size: Int
    let modified: Double
    /// The store that it was held against; as a file of nobody's store it was held against nothing.
    let store: String?
  }

  private struct Weak {
    weak var base: OpenBase?
  }

  private static let open = Mutex<[Key: Weak]>([:])

  /// The base at `place`, opened if it is not open yet.
  static func at(_ place: BasePlace) throws(ModelFailure) -> OpenBase {
    let path = URL(fileURLWithPath: place.path).resolvingSymlinksInPath().path
    guard let info = (try? FileSystem.info(path)) ?? nil else {
      let wrong = place.path.contains("://") ? "not a file URL" : "there is no such base"
      throw ModelFailure(reason: "\(place.path): \(wrong); give the path of a GGUF file.")
    }
    let key = Key(
      device: info.device, inode: info.inode, size: info.size, modified: info.modified,
      store: place.store?.root)
    if let base = open.withLock({ $0[key]?.base }) { return base }
    do {
      return keep(try OpenBase(path, in: place.store), as: key)
    } catch {
      throw ModelFailure(reason: "\(error)")
    }
  }

  /// Remembers `base`, unless another thread has opened the same meanwhile, and forgets those that nobody uses.
  private static func keep(_ base: OpenBase, as key: Key) -> OpenBase {
    open.withLock { open in
      open = open.filter { $0.value.base != nil }
      if let other = open[key]?.base { return other }
      open[key] = Weak(base: base)
      return base
    }
  }
}

/// Where a base is, and what is known of it without opening it.
struct BasePlace: Sendable {
  let path: String
  /// What adapters have to fit, if a receipt says so.
  let contract: BaseContract?
  /// The base as an adapter was checked against it, where nothing but its path would say that it still is the same.
  let opened: OpenBase?
  /// The store that the base is in; nil for a file of nobody's store.
  fileprivate let store: AdapterStore?
  /// Files of the store that say that this is the base in use, and what it is.
  let files: [String]

  /// The path of a base file; what is no URL of a file stays whole, so that an error names it.
  static func path(_ url: URL) -> String {
    url.isFileURL || url.scheme == nil ? url.path : url.absoluteString
  }

  /// A base file of nobody's store.
  init(path: String) {
    (self.path, contract, opened, store) = (path, nil, nil, nil)
    files = []
  }

  /// An installed base.
  init(_ base: InstalledBase, in store: AdapterStore) {
    (path, contract, opened, self.store) = (base.path, base.contract, nil, store)
    files = store.paths(of: base)
  }

  /// A base file, open from now on, with what adapters have to fit.
  init(opening path: String) throws(ModelFailure) {
    let base = try OpenBase.at(BasePlace(path: path))
    do throws(BaseModelError) { contract = try base.model.contract() } catch {
      throw ModelFailure(reason: "\(error)")
    }
    (self.path, opened, store) = (path, base, nil)
    files = []
  }

  func open() throws(ModelFailure) -> OpenBase {
    if let opened { return opened }
    return try OpenBase.at(self)
  }

  /// Keeps `prune` from taking the base's adapters while the answer lives; nil for a file of nobody's store.
  func lease() -> StoreLease? { store?.lease(at: path) }
}
