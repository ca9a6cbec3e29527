import CKernels
import Synchronization
package import SystemFiles

/// The weights of one matrix in the order in which the kernels read them fastest: 8 or 16 rows side by side.
///
/// Made when the matrix has been multiplied a few times, in as many bytes as the rows take, unless they were adopted from a
/// file before. The rows' own pages are given back at the same time, so that a base is in memory once; whoever reads them
/// later gets them from the file.
///
/// Until then each product makes tiles for itself, a few rows at a time: it takes a system longer to find memory for a base
/// than two processors to answer a prompt with it, and the first token would wait for all of that.
final class WeightTiles: Sendable {
  // By the rows of a tile. A process uses one instruction set, so there is one entry; tests use several.
  private let made = Mutex<[Int: TensorBytes]>([:])
  // Products that still make tiles for themselves; below zero later.
  private let patience: Atomic<Int>

  // The first pass makes none, those behind it make them in so many parts: neighbours in the file together, as to read a
  // matrix brings pages of those beside it back.
  fileprivate static let parts = 4
  private static let neighbours = 32
  private static let count = Atomic<Int>(0)

  init() {
    let number = WeightTiles.count.add(1, ordering: .relaxed).oldValue
    patience = Atomic(1 + number / WeightTiles.neighbours % WeightTiles.parts)
  }

  /// The tiles of so many rows, if they are made.
  func bytes(tileRows: Int) -> TensorBytes? { made.withLock { $0[tileRows] } }

  /// The tiles of `weights` as ``bytes(of:_:)`` has them; nil while the product that asks should make them for itself.
  func bytesWhenDue(of weights: WeightMatrix, _ operations: Operations) -> TensorBytes? {
    if let made = bytes(tileRows: operations.variant.tileRows(weights)) { return made }
    let isOfAdapter = weights.isRounded || weights.type == .f16
    let isDue = isOfAdapter || CK_WIDE_TILE_ROWS * weights.rowBytes > CK_PANEL_BYTES
    let isAwaited = patience.subtract(1, ordering: .relaxed).oldValue > 0
    return isDue || !isAwaited ? bytes(of: weights, operations) : nil
  }

  /// Takes tiles that stand elsewhere, unless there are some already.
  func adopt(_ bytes: TensorBytes, tileRows: Int) {
    made.withLock { made in if made[tileRows] == nil { made[tileRows] = bytes } }
  }

  /// The tiles of `weights`, always the same matrix; other sessions wait while they are made.
  func bytes(of weights: WeightMatrix, _ operations: Operations) -> TensorBytes {
    let tileRows = operations.variant.tileRows(weights)
    return made.withLock { made in
      if let made = made[tileRows] { return made }
      let bytes = operations.tile(weights, tileRows: tileRows, in: TileMemory.take)
      // Those at the edges of pieces, too.
      weights.bytes.giveBackPages()
      made[tileRows] = bytes
      return bytes
    }
  }
}

extension WeightMatrix {
  /// Passes over a base until all of its tiles are made.
  package static let settlingPasses = 1 + WeightTiles.parts

  /// Version of the order of tiles, which files of them are kept by: 1.
  package static let tilesVersion = 1

  /// Bytes of the tiles that the kernels of `variant` read; nil where they read the rows as they are.
  package func tileBytes(for variant: CPUVariant) -> Int? {
    guard tiles != nil, variant != .plain else { return nil }
    let tileRows = variant.tileRows(type)
    return (rows + tileRows - 1) / tileRows * tileRows * rowBytes
  }

  /// The tiles of at most `limit` bytes of rows, and at least of one tile, from row `first` on, with the row behind them;
  /// nobody keeps them.
  package func tiles(
    from first: Int, limit: Int, by operations: Operations
  ) -> (bytes: TensorBytes, end: Int) {
    precondition(tiles != nil && (0..<rows).contains(first), "no tiles of these rows")
    let tileRows = operations.variant.tileRows(type)
    precondition(first.isMultiple(of: tileRows), "a row within a tile")
    let count = max(limit / max(rowBytes, 1) / tileRows, 1) * tileRows
    let end = min(first + count, rows)
    let part = slice(rows: first..<end)
    let bytes = operations.tile(part, tileRows: tileRows) { count in
      (PageMemory(count: count, isLong: true), 0)
    }
    return (bytes, end)
  }

  /// Whether one tile among `bytes`, the tiles of all rows, is what its rows come to now; which one follows from `sample`.
  package func agrees(with bytes: TensorBytes, sample: Int, by operations: Operations) -> Bool {
    let tileRows = operations.variant.tileRows(type)
    let first = sample % ((rows + tileRows - 1) / tileRows) * tileRows
    let tile = tiles(from: first, limit: 0, by: operations).bytes
    let kept = bytes.slice(first * rowBytes..<first * rowBytes + tile.count)
    return unsafe tile.withUnsafeBytes { tile in
      unsafe kept.withUnsafeBytes { kept in unsafe tile.elementsEqual(kept) }
    }
  }

  /// Multiplies by `bytes` from now on, the tiles of all rows as the kernels of `variant` read them; traps for another
  /// number of bytes than ``tileBytes(for:)``.
  package func adopt(tiles bytes: TensorBytes, for variant: CPUVariant) {
    precondition(bytes.count == tileBytes(for: variant), "tiles of another shape")
    tiles?.adopt(bytes, tileRows: variant.tileRows(type))
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

/// How a product finds its weights.
@safe
enum WeightLayout {
  /// As the file has them.
  case rows
  /// In tiles, from `base` on; in those of fewer rows than the type's own if they are narrow.
  case tiles(base: UnsafePointer<UInt8>, isNarrow: Bool)
  /// As the file has them, of which it makes tiles for itself.
  case panels

  /// Where tiles begin.
  var base: UnsafePointer<UInt8>? {
    if case .tiles(let base, _) = self { unsafe base } else { nil }
  }

  var code: ck_layout {
    switch self {
    case .rows: CK_IN_ROWS
    case .tiles(_, let isNarrow): isNarrow ? CK_IN_NARROW_TILES : CK_IN_TILES
    case .panels: CK_TO_TILES
    }
  }
}

extension Operations {
  /// How the next product with `weights` finds them: in rows where nothing else is made of these, else in tiles, at once
  /// where `tiled` says so, or when it is time for them.
  func layout(of weights: WeightMatrix, tiled: Bool? = nil) -> WeightLayout {
    guard weights.isRounded || tiled ?? (variant != .plain), let tiles = weights.tiles else {
      return .rows
    }
    let made =
      tiled == true ? tiles.bytes(of: weights, self) : tiles.bytesWhenDue(of: weights, self)
    guard let made else { return .panels }
    return unsafe .tiles(
      base: made.base.assumingMemoryBound(to: UInt8.self),
      isNarrow: variant.tileRows(weights) < variant.tileRows(weights.type))
  }

  /// Bytes of rows that become tiles before their pages are given back: what a large matrix takes twice.
  private static let pieceBytes = 8 << 20

  /// Copies the rows of `weights` into tiles, where `take` finds room for so many bytes; the last one may lack rows, which
  /// become zeros.
  fileprivate func tile(
    _ weights: WeightMatrix, tileRows: Int, in take: (Int) -> (pages: PageMemory, offset: Int)
  ) -> TensorBytes {
    let tiles = (weights.rows + tileRows - 1) / tileRows
    let count = tiles * tileRows * weights.rowBytes
    let (pages, offset) = take(count)
    let base = unsafe pages.base + offset
    let tileBytes = tileRows * weights.rowBytes
    // Rows that are rounded first are those of adapters, and few.
    let piece = weights.isRounded ? tiles : max(Self.pieceBytes / max(tileBytes, 1), 1)
    for first in stride(from: 0, to: tiles, by: piece) {
      let end = min(first + piece, tiles)
      let rows = first * tileRows..<min(end * tileRows, weights.rows)
      let part = weights.isRounded ? weights : weights.slice(rows: rows)
      let job = unsafe ck_tiling_job(
        cpu: variant.code, type: part.type.rawValue, rows: part.rows, weights: part.base,
        halves: part.isRounded, row_bytes: part.rowBytes, tile_rows: tileRows,
        tiles: (base + first * tileBytes).assumingMemoryBound(to: UInt8.self))
      unsafe run(ck_tiling_chunk, job, chunks: end - first)
      part.bytes.giveBackPages()
    }
    return unsafe TensorBytes(base: base, count: count, owner: pages)
  }
}
