import TestSupport
import Testing

@testable import Tokenization

@Suite struct SpecialTokensTests {
  private static func entry(
    _ token: Token, _ text: String, user: Bool = true, left: Bool = false, right: Bool = false
  ) -> SpecialTokens.Entry {
    SpecialTokens.Entry(
      token: token, text: Array(text.utf8), isUserDefined: user, stripsLeft: left,
      stripsRight: right)
  }

  private static let tokens = SpecialTokens(
    [
      entry(1, "<a>"), entry(2, "<a><b>"), entry(3, "<c>", user: false), entry(4, "<|m|>"),
      entry(5, "<l>", left: true), entry(6, "<r>", right: true), entry(7, "  "), entry(8, "<n>"),
    ], newlinePiece: "<n>")

  /// Fragments as text, tokens by number in brackets.
  private func cut(_ text: String, _ reading: SpecialTokens.Reading) -> [String] {
    let bytes = Array(text.utf8)
    return Self.tokens.cut(bytes, reading: reading).map { fragment in
      switch fragment {
      case .text(let range): String(decoding: bytes[range], as: UTF8.self)
      case .token(let token): "[\(token)]"
      }
    }
  }

  @Test(
    arguments: [
      ("", []), ("plain", ["plain"]), ("<a>", ["[1]"]), ("x<a>y", ["x", "[1]", "y"]),
      ("<a><a><b><b>", ["[1]", "[2]", "<b>"]), ("<c>", ["[3]"]), ("<<a>>", ["<", "[1]", ">"]),
      ("<a", ["<a"]), ("x \t<l> y", ["x", "[5]", " y"]), ("x <r> \n y", ["x ", "[6]", "y"]),
      ("<r> ", ["[6]"]), (" <l>", ["[5]"]), ("a   b", ["a", "[7]", " b"]),
      ("a\nb", ["a", "[8]", "b"]),
      ("a<n>b", ["a", "[8]", "b"]), ("<|m|>", ["[4]"]),
      // A longer token claims its place before the white space is stripped.
      ("<r>  x", ["[6]", "x"]),
    ] as [(String, [String])])
  func cutsAll(text: String, expected: [String]) {
    #expect(cut(text, .all) == expected)
  }

  @Test func readsOnlyWhatIsAllowed() {
    #expect(cut("<a><c><|m|>", .userDefined) == ["[1]", "<c>", "[4]"])
    #expect(cut("<a><c><|m|>", .marks([])) == ["[1]", "<c><|m|>"])
  }

  @Test func readsMarksWhereTheyMayBe() {
    #expect(cut("<c><|m|><c>", .marks([0..<3])) == ["[3]", "<|m|><c>"])
    #expect(cut("<c><|m|><c>", .marks([3..<11])) == ["<c>", "[4]", "[3]"])
    // Not one that is only in part from the author of the format.
    #expect(cut("<c><|m|><c>", .marks([0..<4, 5..<11])) == ["[3]", "<|m|>", "[3]"])
    #expect(cut("<c><|m|><c>", .marks([1..<10])) == ["<c>", "[4]", "<c>"])
  }

  /// Token by token through the whole text, as llama.cpp does it.
  private static func reference(
    _ text: [UInt8], _ entries: [SpecialTokens.Entry]
  ) -> [SpecialTokens.Fragment] {
    let order = entries.sorted { ($1.text.count, $0.token) < ($0.text.count, $1.token) }
    return order.reduce(text.isEmpty ? [] : [.text(0..<text.count)]) { fragments, entry in
      fragments.flatMap { fragment -> [SpecialTokens.Fragment] in
        guard case .text(let range) = fragment else { return [fragment] }
        var (parts, start, place): ([SpecialTokens.Fragment], Int, Int) =
          ([], range.lowerBound, range.lowerBound)
        while place + entry.text.count <= range.upperBound {
          guard text[place...].starts(with: entry.text) else {
            place += 1
            continue
          }
          var left = place
          while entry.stripsLeft, left > start, Tokenizer.isSpace(text[left - 1]) { left -= 1 }
          if left > start { parts.append(.text(start..<left)) }
          parts.append(.token(entry.token))
          place += entry.text.count
          while entry.stripsRight, place < range.upperBound, Tokenizer.isSpace(text[place]) {
            place += 1
          }
          start = place
        }
        return parts + (start < range.upperBound ? [.text(start..<range.upperBound)] : [])
      }
    }
  }

  @Test func cutsAsTokenByToken() {
    var random = SeededGenerator(seed: 7)
    func text(_ lengths: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: lengths, using: &random)).map { _ in
          "ab ".randomElement(using: &random)!
        })
    }
    for round in 0..<2_000 {
      let entries = (0..<Int.random(in: 1...6, using: &random)).map { token in
        Self.entry(
          Token(token), text(1...5), left: Bool.random(using: &random),
          right: Bool.random(using: &random))
      }
      let bytes = Array(text(0...24).utf8)
      let cut = SpecialTokens(entries).cut(bytes, reading: .all)
      #expect(cut == Self.reference(bytes, entries), "\(random), round \(round)")
    }
  }

  @Test(.timeLimit(.minutes(15))) func manyTokensInATextAreNoMoreWork() {
    let entries = (0..<200_000).map { Self.entry(Token($0), "<\($0)>") }
    let text = entries.flatMap(\.text)
    let fragments = SpecialTokens(entries).cut(text, reading: .all)
    #expect(fragments == entries.map { .token($0.token) })
  }

  @Test func findsTokensByText() {
    #expect(Self.tokens.token("<c>") == 3)
    #expect(Self.tokens.token("<d>") == nil)
    #expect(Self.tokens.stripsRight(6))
    #expect(!Self.tokens.stripsRight(5))
  }

  @Test(arguments: [
    ("<|im_end|>", true), ("<turn_start>", true), ("<b>", false), ("<n>", false), ("a|b", false),
    ("", false),
  ])
  func tellsMarks(text: String, isMark: Bool) {
    #expect(SpecialTokens.looksLikeMark(Array(text.utf8)) == isMark)
  }

  /// Token by token over all fragments, as llama.cpp does it.
  private func reference(
    _ text: [UInt8], _ entries: [SpecialTokens.Entry]
  ) -> [SpecialTokens.Fragment] {
    var fragments: [SpecialTokens.Fragment] = text.isEmpty ? [] : [.text(0..<text.count)]
    for entry in entries.sorted(by: { ($1.text.count, $0.token) < ($0.text.count, $1.token) }) {
      var index = 0
      while index < fragments.count {
        defer { index += 1 }
        guard case .text(let range) = fragments[index],
          let start = range.first(where: {
            $0 + entry.text.count <= range.upperBound
              && text[$0..<$0 + entry.text.count].elementsEqual(entry.text)
          })
        else { continue }
        let end = start + entry.text.count
        var parts: [SpecialTokens.Fragment] = []
        if start > range.lowerBound { parts.append(.text(range.lowerBound..<start)) }
        parts.append(.token(entry.token))
        if end < range.upperBound { parts.append(.text(end..<range.upperBound)) }
        fragments.replaceSubrange(index...index, with: parts)
        index += start > range.lowerBound ? 1 : 0
      }
    }
    return fragments
  }

  @Test func equalsCuttingTokenByToken() {
    var random = SeededGenerator(seed: 5)
    print("SpecialTokensTests", random)
    for _ in 0..<300 {
      let entries = (0..<Int.random(in: 1...6, using: &random)).map { token in
        let letters = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          Bool.random(using: &random) ? "a" : "b"
        }
        return Self.entry(Token(token), letters.joined())
      }
      let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        "abc".utf8.randomElement(using: &random) ?? 0
      }
      #expect(
        SpecialTokens(entries).cut(text, reading: .all) == reference(text, entries), "\(text)")
    }
  }
}
