import CKernels
import Synchronization

/// The weights of one matrix in the order in which the kernels read them fastest: 8 or 16 rows side by side.
///
/// Made when the matrix is first multiplied, in as many bytes as the rows take. The rows' own pages are given
/// back at the same time, so that a base is in memory once; whoever reads them later gets them from the file.
final class WeightTiles: Sendable {
  // By the rows of a tile. A process uses one instruction set, so there is one entry; tests use several.
  private let made = Mutex<[Int: TensorBytes]>([:])

  /// The tiles of so many rows, if a product has needed them.
  func bytes(tileRows: Int) -> TensorBytes? { made.withLock { $0[tileRows] } }

  /// The tiles of `weights`, always the same matrix; other sessions wait while they are made.
  func bytes(of weights: WeightMatrix, _ operations: Operations) -> TensorBytes {
    let tileRows = operations.variant.tileRows(weights.type)
    return made.withLock { made in
      if let made = made[tileRows] { return made }
      let bytes = operations.tile(weights, tileRows: tileRows)
      weights.bytes.giveBackPages()
      made[tileRows] = bytes
      return bytes
    }
  }
}

/// Where tiles are kept: many matrices to a run of pages, because the system gives huge pages only to long runs.
private enum TileMemory {
  private static let runBytes = 64 << 20

  /// The run that is being filled; gone when the last matrix in it is.
  private struct Run {
    weak var pages: PageMemory?
    var used = 0
  }

  private static let last = Mutex(Run())

  /// Room for `count` bytes, aligned to 64.
  static func take(_ count: Int) -> (pages: PageMemory, offset: Int) {
    last.withLock { last in
      let size = (count + 63) / 64 * 64
      if let pages = last.pages, pages.count - last.used >= size {
        defer { last.used += size }
        return (pages, last.used)
      }
      let pages = PageMemory(count: max(size, runBytes), isLong: true)
      last = Run(pages: pages, used: size)
      return (pages, 0)
    }
  }
}

extension Operations {
  /// Copies the rows of `weights` into tiles; the last one may lack rows, which become zeros.
  fileprivate func tile(_ weights: WeightMatrix, tileRows: Int) -> TensorBytes {
    let tiles = (weights.rows + tileRows - 1) / tileRows
    let count = tiles * tileRows * weights.rowBytes
    let (pages, offset) = TileMemory.take(count)
    let base = unsafe pages.base + offset
    let job = unsafe ck_tiling_job(
      cpu: variant.code, type: weights.type.rawValue, rows: weights.rows, weights: weights.base,
      halves: weights.isRounded, row_bytes: weights.rowBytes, tile_rows: tileRows,
      tiles: base.assumingMemoryBound(to: UInt8.self))
    unsafe run(ck_tiling_chunk, job, chunks: tiles)
    return unsafe TensorBytes(base: base, count: count, owner: pages)
  }
}
