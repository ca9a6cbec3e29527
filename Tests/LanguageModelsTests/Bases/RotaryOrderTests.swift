import Testing

@testable import LanguageModels

@Suite struct RotaryOrderTests {
  @Test func putsFirstRowsBeforeSecondOnes() {
    let order = RotaryOrder(headSize: 6)
    #expect((0..<12).map(order.source) == [0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11])
  }

  @Test(arguments: [2, 16, 128])
  func isAPermutation(headSize: Int) {
    let order = RotaryOrder(headSize: headSize)
    #expect(Set((0..<3 * headSize).map(order.source)) == Set(0..<3 * headSize))
  }
}
