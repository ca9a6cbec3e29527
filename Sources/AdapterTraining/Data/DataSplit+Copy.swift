import TensorFiles

extension DataSplit {
  /// Copies each line of a file whose key is known to one of two files.
  func copy(
    _ file: FileReader, _ keys: [ContentKey?], _ held: Set<ContentKey>,
    to paths: (training: String, heldOut: String), in folder: String, _ isCancelled: () -> Bool
  ) throws(DataSetError) -> (training: Int, heldOut: Int) {
    do throws(TensorFileError) {
      try FileSystem.createDirectory(folder)
      var lines = LineReader(file, limit: DataSetReader.lineLimit)
      var training = try AtomicFile(path: paths.training)
      var heldOut = try AtomicFile(path: paths.heldOut)
      var (trainingCount, heldOutCount) = (0, 0)
      while let line = try lines.next() {
        if isCancelled() { break }
        guard line.number <= keys.count else { throw TensorFileError.changed(path: file.path) }
        guard let key = keys[line.number - 1] else { continue }
        let bytes = try file.read(line.offset..<line.offset + line.length)
        if held.contains(key) {
          try heldOut.write(bytes)
          heldOutCount += 1
        } else {
          try training.write(bytes)
          trainingCount += 1
        }
      }
      try file.checkUnchanged()
      if !isCancelled() {
        try heldOut.commit()
        try training.commit()
        return (trainingCount, heldOutCount)
      }
    } catch {
      throw .file(error)
    }
    throw .cancelled
  }
}
