import Adapters
import Kernels
import TensorFiles

/// `adapter-final.pt`: what Apple's toolkit saves of a training.
///
/// An archive of PyTorch with a dictionary of tensors: `a_transpose` `(in, rank)` and `b_transpose` `(rank, out)` under the
/// names of AFM checkpoints, rows of Q and K with each rotary pair side by side. Alpha is not in it; the toolkit's is 16.
enum ToolkitCheckpoint {
  static func read(
    _ path: String, _ modules: BaseModules
  ) throws(InterchangeError) -> [ModuleUpdate] {
    let file = try filing { () throws(TensorFileError) in try MappedFile(path: path) }
    let tensors = try TorchArchive(file.bytes, path: path).tensors()
    var table = FactorTable(path, modules)
    table.isTransposed = true
    for tensor in tensors {
      let (module, side) = try place(tensor.name, path)
      try table.add(tensor, side, of: module)
    }
    let alpha = AdapterSettings.apple.alpha
    let updates = try table.updates { _, rank, _ in alpha / Double(rank) }
    try filing { () throws(TensorFileError) in try file.checkUnchanged() }
    return updates
  }

  private static func place(
    _ name: String, _ path: String
  ) throws(InterchangeError) -> (String, FactorTable.Side) {
    for (suffix, side) in [(".a_transpose", FactorTable.Side.a), (".b_transpose", .b)]
    where name.hasSuffix(suffix) {
      return (String(name.dropLast(suffix.count)), side)
    }
    throw .unmatchedTensor(path: path, tensor: name, reason: "it is no factor of a LoRA")
  }
}
