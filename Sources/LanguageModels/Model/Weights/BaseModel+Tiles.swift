package import Kernels
import Synchronization
import SystemFiles
import TensorFiles

/// The weights of a base in the order in which this processor's kernels read them, in a file that processes share.
///
/// Without it every process makes its own with its first passes. The file has the tiles of each matrix that has some,
/// in the order of ``ModelWeights/multipliedMatrices``, each from a multiple of ``tileAlignment`` bytes on, and nothing else: whoever keeps it
/// says which base and which kernels it is of.
extension BaseModel {
  /// Bytes of the file; 0 where the kernels of `variant` read the base as it is.
  package func tilesSize(for variant: CPUVariant = .current) -> Int {
    tilePlaces(variant).last?.range.upperBound ?? 0
  }

  /// Writes the file to `path`, whole or not at all, eight megabytes of one matrix in memory at a time.
  ///
  /// - Throws: `BaseModelError`: `.cancelled`, or `.file` also for a base that changed meanwhile.
  package func writeTiles(
    to path: String, threads: Int? = nil,
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in },
    isCancelled: () -> Bool = { Task.isCancelled }
  ) throws(BaseModelError) {
    let operations = Operations(pool: WorkerPool(threads: threads ?? WorkerPool.processors))
    let total = tilesSize(for: operations.variant)
    do {
      var file = try AtomicFile(path: path)
      for place in tilePlaces(operations.variant) {
        try file.pad(to: Self.tileAlignment)
        var row = 0
        while row < place.matrix.rows {
          if isCancelled() { throw BaseModelError.cancelled }
          progress(file.count, total)
          let (bytes, end) = place.matrix.tiles(from: row, limit: 8 << 20, by: operations)
          try file.write(bytes)
          row = end
        }
      }
      try self.file.checkUnchanged()
      try file.commit()
    } catch let error as FileError {
      throw .file(error)
    } catch {
      throw .cancelled
    }
    progress(total, total)
  }

  /// Reads the weights from the file at `path` from now on, which `writeTiles(to:)` made of this base by the kernels of
  /// `variant`; a model that has begun keeps what it made.
  ///
  /// A tile of each of up to 256 matrices is held against the base's rows, so that what a disk lost does not answer in its place; all of
  /// them would take as long as to make them.
  ///
  /// - Throws: `BaseModelError`: `.file`, also for a file of another size, or `.damagedTiles`.
  package func useTiles(
    at path: String, for variant: CPUVariant = .current
  ) throws(BaseModelError) {
    let places = tilePlaces(variant)
    let file: MappedFile
    do throws(FileError) {
      file = try MappedFile(path: path, isLong: true)
      let (size, needed) = (file.bytes.count, places.last?.range.upperBound ?? 0)
      guard size <= needed else { throw .tooLarge(path: path, size: size, limit: needed) }
      guard size == needed else {
        throw .truncated(
          path: path, offset: 0, field: "the tiles of the base", needed: UInt64(needed), left: size)
      }
    } catch {
      throw .file(error)
    }
    let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
    let step = (places.count + Self.samples - 1) / Self.samples
    for (index, place) in places.enumerated() where index.isMultiple(of: step) {
      let bytes = file.bytes.slice(place.range)
      guard place.matrix.agrees(with: bytes, sample: index, by: operations) else {
        throw .damagedTiles(file: path, offset: place.range.lowerBound)
      }
    }
    for place in places {
      place.matrix.adopt(tiles: file.bytes.slice(place.range), for: variant)
    }
    tilesFile.withLock { $0 = file }
  }

  /// Matrices of which a tile is compared.
  private static let samples = 256

  /// Kernels read a line of the cache at a time.
  private static let tileAlignment = 64

  private struct TilePlace {
    let matrix: WeightMatrix
    let range: Range<Int>
  }

  private func tilePlaces(_ variant: CPUVariant) -> [TilePlace] {
    var end = 0
    return weights.multipliedMatrices.compactMap { matrix in
      guard let count = matrix.tileBytes(for: variant) else { return nil }
      let start = (end + Self.tileAlignment - 1) / Self.tileAlignment * Self.tileAlignment
      end = start + count
      return TilePlace(matrix: matrix, range: start..<end)
    }
  }
}
