import SystemFiles
import TestSupport
import Testing

@testable import Kernels

/// Tiles made a piece at a time, and tiles that stand elsewhere.
@Suite struct WeightTilesTests {
  private static let tiledTypes = TensorType.allCases.filter(WeightMatrix.hasTiles)

  private func weights(_ type: TensorType, rows: Int) -> WeightMatrix {
    var random = SeededGenerator(seed: 11)
    let columns = type.blockLength * 2
    let bytes = TensorBytes(random.bytes(rows * 2 * type.blockBytes))
    return WeightMatrix(type: type, rows: rows, columns: columns, bytes: bytes)
  }

  /// The last tile lacks rows, whether it has 8 or 16, and pieces of one tile and of two do not end together.
  @Test(arguments: tiledTypes, CPUVariant.allCases.filter { $0 != .plain })
  func piecesAreTheWhole(type: TensorType, variant: CPUVariant) throws {
    let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
    let matrix = weights(type, rows: 53)
    let whole = WeightTiles().bytes(of: matrix, operations).array
    #expect(matrix.tileBytes(for: variant) == whole.count)
    for limit in [0, 2 * variant.tileRows(type) * matrix.rowBytes, 1 << 20] {
      var (pieces, row): ([UInt8], Int) = ([], 0)
      while row < matrix.rows {
        let (bytes, end) = matrix.tiles(from: row, limit: limit, by: operations)
        pieces += bytes.array
        row = end
      }
      #expect(pieces == whole, "pieces of \(limit) bytes")
    }
    #expect(matrix.tiles?.bytes(tileRows: variant.tileRows(type)) == nil)
  }

  @Test func largeMatricesAreMadeAPieceAtATime() throws {
    let variant = try #require(CPUVariant.allCases.first { $0 != .plain })
    let operations = Operations(pool: WorkerPool(threads: 2), variant: variant)
    let (type, rows, columns) = (TensorType.q8_0, 2101, 8192)
    let rowBytes = columns / type.blockLength * type.blockBytes
    // Bytes that tell each row from the others.
    var bytes: [UInt8] = []
    for row in 0..<rows {
      bytes += [UInt8](repeating: UInt8(row % 251), count: rowBytes - 2)
      bytes += [UInt8(row >> 8), UInt8(row & 255)]
    }
    let matrix = WeightMatrix(type: type, rows: rows, columns: columns, bytes: TensorBytes(bytes))
    var (pieces, row): ([UInt8], Int) = ([], 0)
    while row < rows {
      let (bytes, end) = matrix.tiles(from: row, limit: 1 << 20, by: operations)
      pieces += bytes.array
      row = end
    }
    #expect(WeightTiles().bytes(of: matrix, operations).array == pieces)
  }

  @Test(arguments: tiledTypes)
  func adoptedTilesAreReadInThePlaceOfRows(type: TensorType) throws {
    let variant = try #require(CPUVariant.allCases.first { $0 != .plain })
    let operations = Operations(pool: WorkerPool(threads: 1), variant: variant)
    let (first, second) = (weights(type, rows: 21), weights(type, rows: 21))
    let tiles = first.tiles(from: 0, limit: 1 << 20, by: operations).bytes
    second.adopt(tiles: tiles, for: variant)
    let adopted = try #require(second.tiles).bytes(of: second, operations)
    #expect(unsafe adopted.base == tiles.base)
    // Those that are there already stay.
    second.adopt(tiles: TensorBytes(tiles.array), for: variant)
    #expect(unsafe second.tiles?.bytes(of: second, operations).base == tiles.base)
  }

  @Test func portableKernelsReadRows() {
    for type in TensorType.allCases {
      #expect(weights(type, rows: 3).tileBytes(for: .plain) == nil)
    }
  }
}
