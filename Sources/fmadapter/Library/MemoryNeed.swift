import LanguageModels
import SystemFiles

/// What a base takes of the memory before it has read a word; each token of the context takes more.
struct MemoryNeed: Equatable {
  /// As messages name the base.
  let path: String
  /// Bytes that nothing can bring back: weights in the order of this processor's kernels, made by this process.
  let own: Int
  /// Bytes of weights, of a file or not.
  let weights: Int

  init(path: String, own: Int, weights: Int) {
    (self.path, self.own, self.weights) = (path, own, weights)
  }

  /// Of `model`; where it is compiled, the weights stay a file's.
  init(_ model: BaseModel, isCompiled: Bool) {
    let tiles = model.tilesSize()
    self.init(path: model.path, own: isCompiled ? 0 : tiles, weights: max(tiles, model.fileSize))
  }

  /// Says before anything is read that the base does not fit.
  ///
  /// - Throws: `Failure` where the system would end the program rather than find the room.
  func check(_ memory: MachineMemory, _ terminal: Terminal) throws {
    if MachineMemory.need(ofWeights: own) > memory.available.addingReportingOverflow(memory.swap).0
    {
      let need = MachineMemory.need(ofWeights: own)
      throw Failure(
        .storage,
        "\(path) does not fit: it takes \(Figures.size(need)) of memory, and \(Figures.size(memory.available)) is free"
          + "\(remedy: "end other programs, or take a base with fewer bits a weight; one that is installed can be compiled, 'fmadapter compile --base', and is read from the disk where memory is short")"
      )
    }
    if !memory.fits(weights) {
      terminal.warn(
        "\(path) has \(Figures.size(weights)) of weights, and \(Figures.size(memory.available)) of memory is free: "
          + "what does not fit is read from the disk again and again")
    }
  }
}
