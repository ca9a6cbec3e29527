import TestSupport
import Testing

@testable import Kernels

/// The gated convolution against sums in double precision.
@Suite struct ConvolutionTests {
  /// Seventy rows, of columns that take more than one chunk.
  private struct Problem {
    let columns = 300
    let taps: Int
    let input: [[Float]]
    let kernel: [Float]

    init(taps: Int) {
      var random = SeededGenerator(seed: 31)
      self.taps = taps
      let columns = self.columns
      input = (0..<70).map { _ in random.floats(3 * columns) }
      kernel = random.floats(taps * columns)
    }

    func expected(_ row: Int, _ column: Int) -> Double {
      func value(_ row: Int, _ part: Int) -> Double {
        Double(input[row][part * columns + column])
      }
      return value(row, 1)
        * (0..<taps).reduce(0) { sum, tap in
          let earlier = row + 1 - taps + tap
          guard earlier >= 0 else { return sum }
          let product = value(earlier, 0) * value(earlier, 2)
          return sum + Double(kernel[tap * columns + column]) * product
        }
    }

    /// All rows, in passes of the given sizes over one ring; the input lies from row 2 on.
    func run(_ pieces: [Int], ring rows: Int, threads: Int = 1) -> [[Float]] {
      let operations = Operations(pool: WorkerPool(threads: threads))
      let ring = Activations(capacity: rows, columns: columns)
      var (result, first): ([[Float]], Int) = ([], 0)
      for count in pieces {
        let x = Activations(capacity: count + 2, columns: 3 * columns)
        let y = Activations(capacity: count + 2, columns: columns)
        for row in 0..<count { x.setRow(row + 2, to: input[first + row]) }
        operations.convolution(
          x, kernel: FloatVector(kernel), taps: taps, ring: ring, into: y, first: first, from: 2,
          batch: count)
        result += (0..<count).map { y.row($0 + 2) }
        first += count
      }
      return result
    }
  }

  @Test(arguments: [2, 3, 5]) func equalsTheSums(taps: Int) {
    let problem = Problem(taps: taps)
    let found = problem.run([70], ring: 16)
    for (row, values) in found.enumerated() {
      for (column, value) in values.enumerated() {
        let expected = problem.expected(row, column)
        #expect(abs(Double(value) - expected) < 1e-5, "\(row), \(column)")
      }
    }
  }

  @Test(arguments: [2, 3, 5]) func rowsDoNotDependOnPassesThreadsAndRings(taps: Int) {
    let problem = Problem(taps: taps)
    let whole = problem.run([70], ring: 16)
    #expect(problem.run(Array(repeating: 1, count: 70), ring: taps) == whole)
    #expect(problem.run([3, 1, 1, 40, 2, 23], ring: 7, threads: 3) == whole)
  }
}
