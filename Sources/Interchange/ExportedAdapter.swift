public import Adapters
import Kernels
import SystemFiles

/// An adapter on its way into another form.
public struct ExportedAdapter: Sendable {
  /// The form that it is written in.
  public let form: ForeignForm
  /// What is written: linear layers that the adapter changes.
  public var moduleCount: Int { content.updates.count }
  /// The highest rank of what is written.
  public var rank: Int { content.updates.map(\.rank).max() ?? 0 }
  /// What programs of PEFT load the base by: a repository of the hub, or a folder; nil where that is not known.
  public var baseModel: String?
  private let content: ForeignContent
  private let scale: Double
  private let adapterRank: Int
  private let contract: BaseContract
  private let name: String

  /// Puts the factors of `adapter`, which has to be for `base`, into the names, shapes and order of `form`.
  ///
  /// Values stay what they are, in half precision. Projections that the adapter leaves as they are are left out. With `isEven` all
  /// have one rank in PEFT, too, for programs that know no other.
  ///
  /// - Throws: `InterchangeError.noNames` where the form has no such model, `.onlyRead` for a form that is not written, `.activated` where it
  ///   cannot say where the adapter begins, or `.empty`.
  public init(
    _ adapter: Adapter, for base: ExchangeBase, as form: ForeignForm, isEven: Bool = false
  ) throws(InterchangeError) {
    guard form != .toolkit else { throw .onlyRead(form) }
    let invocation = adapter.metadata.settings.invocation
    guard invocation == nil || form != .mlx else {
      throw .activated(
        identifier: adapter.identifier.description, problem: "which \(form.title) does not know")
    }
    let modules = try BaseModules(base, in: form)
    var updates = modules.updates(of: adapter.layers, scale: adapter.scale)
    guard !updates.isEmpty else { throw .empty(path: adapter.identifier.description) }
    if isEven {
      let rank = updates.map(\.rank).max() ?? 1
      for index in updates.indices { updates[index].pad(to: rank) }
    } else if form == .peft {
      for index in updates.indices { updates[index].trim() }
    }
    content = ForeignContent(updates: updates, invocation: invocation)
    self.form = form
    (scale, adapterRank, contract) = (adapter.scale, adapter.rank, base.contract)
    name = adapter.identifier.name
  }

  /// Writes the file or folder at `path`, which appears complete or not at all.
  ///
  /// The values are halves in every form. In GGUF they are stored as F32 unless `storesHalves`, as llama.cpp then computes
  /// with what it is given, and not with halves of that.
  ///
  /// - Throws: `InterchangeError.exists` when something stands there and is not to be replaced, `.holdsOthers` when that is of another
  ///   kind, or a folder with files that the form does not have; `.file`.
  public func write(
    to path: String, replacing: Bool = false, storesHalves: Bool = false
  ) throws(InterchangeError) {
    switch form {
    case .gguf:
      let kind = try filing { () throws(FileError) in try FileSystem.info(path)?.kind }
      guard kind == nil || replacing else { throw .exists(path: path) }
      guard kind != .directory else {
        throw .holdsOthers(path: path, name: FilePath.name(of: path))
      }
      try GGUFAdapter.write(
        content, scale: scale, rank: adapterRank, architecture: contract.architecture, name: name,
        type: storesHalves ? .f16 : .f32, to: path)
    case .peft, .mlx, .toolkit:
      _ = try FormFolder.write(path, replacing: replacing, fill)
    }
  }

  /// Writes the files of a form that is a folder into `folder`.
  func fill(_ folder: String) throws(InterchangeError) {
    let layers = contract.layers.count
    if form == .peft {
      try PEFTFolder.write(
        content, scale: scale, layers: layers, baseModel: baseModel, to: folder)
    } else {
      try MLXFolder.write(content.updates, scale: scale, layers: layers, to: folder)
    }
  }
}
