public import Adapters
import Kernels
import SystemFiles

/// An adapter on its way into another form.
public struct ExportedAdapter: Sendable {
  /// The form that it is written in.
  public let form: ForeignForm
  /// What is written: linear layers that the adapter changes.
  public var moduleCount: Int { content.updates.count }
  private let content: ForeignContent
  private let scale: Double
  private let rank: Int
  private let contract: BaseContract
  private let name: String

  /// Puts the factors of `adapter`, which has to be for `base`, into the names, shapes and order of `form`.
  ///
  /// Values stay what they are, in half precision. Projections that the adapter leaves as they are are left out.
  ///
  /// - Throws: `InterchangeError.noNames` where the form has no such model, `.onlyRead` for a form that is not written, `.activated` where it
  ///   cannot say where the adapter begins, or `.empty`.
  public init(
    _ adapter: Adapter, for base: ExchangeBase, as form: ForeignForm
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
    if form == .peft {
      for index in updates.indices { updates[index].trim() }
    }
    content = ForeignContent(updates: updates, invocation: invocation)
    self.form = form
    (scale, rank, contract) = (adapter.scale, adapter.rank, base.contract)
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
        content, scale: scale, rank: rank, architecture: contract.architecture, name: name,
        type: storesHalves ? .f16 : .f32, to: path)
    case .peft, .mlx, .toolkit:
      try FormFolder.write(path, replacing: replacing) { folder throws(InterchangeError) in
        if form == .peft {
          try PEFTFolder.write(
            content, scale: scale, layers: contract.layers.count, to: folder)
        } else {
          try MLXFolder.write(
            content.updates, scale: scale, layers: contract.layers.count, to: folder)
        }
      }
    }
  }
}

/// Folders that appear under their name complete, or not at all.
private enum FormFolder {
  /// What a folder that is replaced may have: with anything else it is not one that was written here.
  private static let names: Set<String> = [
    ForeignForm.configurationName, ForeignForm.peftWeights, ForeignForm.mlxWeights,
  ]

  static func write(
    _ path: String, replacing: Bool,
    _ fill: (_ folder: String) throws(InterchangeError) -> Void
  ) throws(InterchangeError) {
    let kind = try filing { () throws(FileError) in try FileSystem.info(path)?.kind }
    if let kind {
      guard replacing else { throw .exists(path: path) }
      guard kind == .directory else {
        throw .holdsOthers(path: path, name: FilePath.name(of: path))
      }
      let found = try filing { () throws(FileError) in try FileSystem.list(path).map(\.name) }
      if let other = found.first(where: { !names.contains($0) }) {
        throw .holdsOthers(path: path, name: "\(other)")
      }
    }
    let work = FilePath.join(
      FilePath.parent(of: path), ".fmadapter.\(FilePath.randomName()).partial")
    do throws(InterchangeError) {
      try filing { () throws(FileError) in try FileSystem.createDirectory(work) }
      try fill(work)
      try packaging { () throws(AdapterError) in
        try AdapterWriter.publish(work, at: path, replacing: replacing)
      }
    } catch {
      if case .package(let fault) = error {
        AdapterWriter.discard(work, after: fault)
      } else {
        try? FileSystem.removeTree(work)
      }
      throw error
    }
  }
}
