import Adapters
import SystemFiles

/// `adapter-final.pt`: what Apple's toolkit saves of a training.
///
/// An archive of PyTorch with a dictionary of tensors: `a_transpose` `(in, rank)` and `b_transpose` `(rank, out)` under the
/// names of AFM checkpoints, rows of Q and K with each rotary pair side by side. Alpha is not in it; the toolkit's is 16.
enum ToolkitCheckpoint {
  static func read(
    _ path: String, _ modules: BaseModules
  ) throws(InterchangeError) -> ForeignContent {
    let file = try filing { () throws(FileError) in try MappedFile(path: path) }
    let tensors = try TorchArchive(file.bytes, path: path).tensors()
    var table = FactorTable(path, modules)
    table.isTransposed = true
    for tensor in tensors {
      let (module, side) = try table.place(tensor.name, (".a_transpose", ".b_transpose"))
      try table.add(tensor, side, of: module)
    }
    let alpha = AdapterSettings.apple.alpha
    let updates = try table.updates { _, rank, _ in alpha / Double(rank) }
    try filing { () throws(FileError) in try file.checkUnchanged() }
    return ForeignContent(updates: updates)
  }
}
