import Testing

@testable import fmadapter

@Suite struct KeyTests {
  private func keys(_ bytes: [UInt8]) -> [Key] {
    var rest = bytes[...]
    var keys: [Key] = []
    while let key = Key.read({ _ in rest.popFirst() }) { keys.append(key) }
    return keys
  }

  @Test(arguments: [
    ("\u{1B}[A", Key.up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left),
    ("\u{1B}[1~", .home), ("\u{1B}OF", .end), ("\u{1B}[3~", .delete), ("\u{1B}[1;5C", .wordRight),
    ("\u{1B}b", .wordLeft), ("\u{01}", .home), ("\u{03}", .interrupt), ("\u{04}", .endOfInput),
    ("\u{0B}", .deleteToEnd), ("\u{15}", .deleteToStart), ("\u{17}", .deleteWord),
    ("\u{7F}", .backspace), ("\r", .enter), ("é", .scalar("é")), ("語", .scalar("語")),
    ("😀", .scalar("😀")), ("\u{1B}\r", .newLine),
    ("\u{1B}[200~one\r\ntwo\rthree \u{1B}[A\u{7}\n\n\u{1B}[201~", .paste("one\ntwo\nthree [A")),
    ("\u{1B}[200~cut", .paste("cut")), ("\u{1B}[99;99~", .unknown), ("\u{1B}", .unknown),
    ("\u{1B}\u{7F}", .deleteWord), ("\u{1B}d", .deleteNextWord), ("\u{19}", .putBack),
    ("\u{12}", .search), ("\u{1B}\u{1B}[D", .left), ("\u{1B}[[A", .unknown), ("\u{1B}é", .unknown),
  ])
  func readsOneKey(_ text: String, _ key: Key) {
    #expect(keys(Array(text.utf8)) == [key])
  }

  @Test func anUnknownSequenceLeavesNoText() {
    for text in ["\u{1B}[300~a", "\u{1B}1a", "\u{1B}ña"] {
      #expect(keys(Array(text.utf8)) == [.unknown, .scalar("a")])
    }
  }

  @Test(arguments: [[0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x28, 0x8C, 0x28]] as [[UInt8]])
  func brokenBytesAreNoText(_ bytes: [UInt8]) {
    for key in keys(bytes) {
      if case .scalar(let scalar) = key { #expect(scalar.isASCII) }
    }
  }
}
