import Grammars
import Testing

@Suite struct TokenMaskTests {
  @Test(arguments: [1, 63, 64, 65, 130]) func holdsEachTokenOfItsVocabulary(count: Int) {
    var mask = TokenMask(count: count)
    #expect(mask.isEmpty)
    for token in [0, count / 2, count - 1] { mask[Int32(token)] = true }
    let held = (0..<count).filter { mask[Int32($0)] }
    #expect(held == Array(Set([0, count / 2, count - 1])).sorted())
    mask[Int32(count - 1)] = false
    #expect(!mask[Int32(count - 1)])
    mask.removeAll()
    #expect(mask == TokenMask(count: count))
  }

  @Test func unionHoldsBoth() {
    var (first, second) = (TokenMask(count: 70), TokenMask(count: 70))
    first[3] = true
    second[69] = true
    first.formUnion(second)
    #expect((0..<70).filter { first[Int32($0)] } == [3, 69])
  }
}
