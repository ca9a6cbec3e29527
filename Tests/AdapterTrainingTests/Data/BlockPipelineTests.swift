import Testing

@testable import AdapterTraining

@Suite struct BlockPipelineTests {
  private enum Stop: Error { case reading, each, taking }

  /// What is taken of blocks of 100 numbers each, a third of which are left out, until one of the steps fails.
  private func taken(
    blocks: Int, threads: Int, failing stop: Stop? = nil, in failed: Int = .max
  ) -> (numbers: [Int], error: Stop?) {
    var (numbers, next, seen, taken) = ([Int](), 0, 0, 0)
    do throws(Stop) {
      try BlockPipeline.run(threads: threads, share: 7) { () throws(Stop) in
        if stop == .reading, next == failed { throw .reading }
        guard next < blocks else { return [Int]() }
        defer { next += 1 }
        return Array(100 * next..<100 * next + 100)
      } each: { (block) throws(Stop) in
        if stop == .each, seen == failed { throw .each }
        defer { seen += 1 }
        // Of each second block nothing is left.
        return seen % 2 == 1 ? [] : block.filter { $0 % 3 > 0 }
      } make: { some in
        some.map { -$0 }
      } take: { (shares) throws(Stop) in
        if stop == .taking, taken == failed { throw .taking }
        taken += 1
        numbers += shares.joined()
      }
    } catch {
      return (numbers, error)
    }
    return (numbers, nil)
  }

  private func expected(_ blocks: Int) -> [Int] {
    (0..<100 * blocks).filter { $0 / 100 % 2 == 0 && $0 % 3 > 0 }.map { -$0 }
  }

  @Test(arguments: [1, 2, 4], [0, 1, 2, 9]) func allIsTakenInItsOrder(_ threads: Int, _ blocks: Int)
  {
    let (numbers, error) = taken(blocks: blocks, threads: threads)
    #expect(numbers == expected(blocks) && error == nil)
  }

  @Test(arguments: [1, 2]) func whatCameBeforeAFailureIsTaken(_ threads: Int) {
    for failed in [0, 1, 4, 5] {
      let reading = taken(blocks: 9, threads: threads, failing: .reading, in: failed)
      #expect(reading.numbers == expected(failed) && reading.error == .reading)
      let each = taken(blocks: 9, threads: threads, failing: .each, in: failed)
      #expect(each.numbers == expected(failed) && each.error == .each)
    }
  }

  @Test func afterAFailureToTakeNothingIsTaken() {
    let (numbers, error) = taken(blocks: 9, threads: 2, failing: .taking, in: 2)
    #expect(numbers == expected(3) && error == .taking)
  }
}
