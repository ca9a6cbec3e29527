import Testing

@testable import fmadapter

@Suite struct LineBufferTests {
  private func typed(_ text: String) -> LineBuffer {
    var buffer = LineBuffer()
    text.unicodeScalars.forEach { buffer.insert($0) }
    return buffer
  }

  @Test func insertsAtTheCursor() {
    var buffer = typed("ac")
    buffer.moveLeft()
    buffer.insert("b")
    #expect(buffer.text == "abc")
    #expect(buffer.cursor == 2)
  }

  @Test func aTextGoesInAsAWhole() {
    var buffer = typed("ad")
    buffer.moveLeft()
    buffer.insert("b\nc")
    #expect(buffer.text == "ab\ncd" && buffer.cursor == 4)
    #expect(buffer.window(columns: 20) == ("ab\ncd", 5))
    #expect(buffer.window(columns: 20, unicode: true) == ("ab\ncd", 4))
  }

  @Test func aCombiningMarkJoinsItsLetter() {
    var buffer = typed("e\u{301}x")
    #expect(buffer.characters.count == 2)
    buffer.deleteBackward()
    buffer.deleteBackward()
    #expect(buffer.text.isEmpty)
  }

  @Test func aFamilyIsOneCharacter() {
    var buffer = typed("👩‍👧")
    #expect(buffer.characters.count == 1)
    buffer.deleteBackward()
    #expect(buffer.characters.isEmpty)
  }

  @Test func movesAndDeletesByWords() {
    var buffer = LineBuffer("one two  three")
    buffer.deleteWord()
    #expect(buffer.text == "one two  ")
    buffer.moveWordLeft()
    #expect(buffer.cursor == 4)
    buffer.moveWordRight()
    #expect(buffer.cursor == 7)
    buffer.deleteToStart()
    #expect(buffer.text == "  ")
    buffer.deleteToEnd()
    #expect(buffer.text.isEmpty)
  }

  @Test func linesArePartsOfNoWord() {
    var buffer = LineBuffer("one\ntwo three\n\n")
    #expect(buffer.deleteWord() == "three\n\n")
    buffer.moveWordLeft()
    #expect(buffer.cursor == 4)
    #expect(buffer.deleteNextWord() == "two" && buffer.text == "one\n ")
  }

  @Test func nothingHappensAtTheEnds() {
    var buffer = LineBuffer()
    buffer.deleteBackward()
    buffer.deleteForward()
    buffer.moveLeft()
    buffer.moveRight()
    buffer.deleteWord()
    buffer.deleteNextWord()
    buffer.moveWordLeft()
    buffer.moveWordRight()
    #expect(buffer == LineBuffer())
  }

  @Test func aLongLineShowsThePartAroundTheCursor() {
    var buffer = LineBuffer("0123456789")
    #expect(buffer.window(columns: 5).text == "6789")
    #expect(buffer.window(columns: 5).cursor == 4)
    buffer.moveToStart()
    #expect(buffer.window(columns: 5).text == "0123")
    #expect(buffer.window(columns: 5).cursor == 0)
  }

  @Test func wideCharactersTakeTwoCells() {
    let buffer = LineBuffer("日本語")
    #expect(buffer.window(columns: 6).text == "本語")
    #expect(buffer.window(columns: 6).cursor == 4)
  }
}
