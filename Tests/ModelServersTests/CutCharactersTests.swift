import FoundationModels
import Testing

@testable import ModelServers

@Suite struct CutCharactersTests {
  @Test(arguments: [
    ([#"{"a": "x\ud83d"}"#, #"{"a": "\uDE00y"}"#], [#"{"a": "x"}"#, #"{"a": "\ud83d\uDE00y"}"#]),
    ([#"{"a": "\ud83d\ude00\ud83d"}"#], [#"{"a": "\ud83d\ude00"}"#]),
    ([#"{"a": "\ude00", "b": "\ud83dz"}"#], [#"{"a": "�", "b": "�z"}"#]),
    ([#"{"a": "\\ud83d\"\n\ude00"}"#], [#"{"a": "\\ud83d\"\n�"}"#]),
    ([#"{"a": "\ud83d\ud83d\ude00"}"#], [#"{"a": "�\ud83d\ude00"}"#]),
    ([#"{"a": "\u00e4\ud8"#], [#"{"a": "\u00e4\ud8"#]),
  ])
  func halvesFindEachOther(events: [String], mended: [String]) {
    var characters = CutCharacters()
    let found = events.map { String(decoding: characters.mend(Array($0.utf8)), as: UTF8.self) }
    #expect(found == mended)
  }

  @Test func halfThatWaitedForNothingIsForgotten() {
    var characters = CutCharacters()
    _ = characters.mend(Array(#"{"a": "\ud83d"}"#.utf8))
    characters.pass()
    let mended = characters.mend(Array(#"{"a": "\ude00"}"#.utf8))
    #expect(String(decoding: mended, as: UTF8.self) == #"{"a": "�"}"#)
  }

  @Test func bytesThatAreNoTextAreReplaced() {
    var characters = CutCharacters()
    let mended = characters.mend(Array(#"{"a": ""#.utf8) + [0xF0, 0x9F, 0x98] + Array("\"}".utf8))
    #expect(String(decoding: mended, as: UTF8.self) == #"{"a": "�"}"#)
  }

  @Test func answerGoesOnBehindACutCharacter() async throws {
    func text(_ text: String) -> String { #"{"choices": [{"delta": {"content": "\#(text)"}}]}"# }
    let played = try PlayedModel(
      .stream(text(#"A \ud83d"#), text(#"\ude00 and \udead"#), text("b"), ChatEvent.done))
    let session = LanguageModelSession(model: played.model)
    #expect(try await session.respond(to: "?").content == "A \u{1F600} and �b")
  }
}
