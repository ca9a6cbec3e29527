import FoundationModels
import Testing

struct PromptTests {
  private struct Landmark: PromptRepresentable, InstructionsRepresentable {
    let name: String

    var promptRepresentation: Prompt { "A landmark:" + " " + name }
    var instructionsRepresentation: Instructions {
      "Speak of"
      name
    }
  }

  private static func prompt(rhymes: Bool, long: Bool?, count: Int) -> Prompt {
    Prompt {
      "What are miniature schnauzers known for?"
      if rhymes { "Rhyme." }
      if let long {
        if long { "At length." } else { "In a line." }
      }
      for index in 0..<count { "\(index + 1)" }
      Landmark(name: "Fuji")
      ["a", "b"]
    }
  }

  @Test(arguments: [
    (prompt(rhymes: true, long: true, count: 0), ["Rhyme.", "At length."]),
    (prompt(rhymes: false, long: false, count: 2), ["In a line.", "1", "2"]),
    (prompt(rhymes: false, long: nil, count: 0), []),
  ])
  func builderPutsEachPieceOnALine(_ prompt: Prompt, _ middle: [String]) {
    let lines = ["What are miniature schnauzers known for?"] + middle
    #expect(prompt.text == (lines + ["A landmark: Fuji", "a", "b"]).joined(separator: "\n"))
  }

  @Test func promptOfAValueIsItsRepresentation() {
    #expect(Prompt("one line").text == "one line")
    #expect(Prompt(Landmark(name: "Nile")).text == "A landmark: Nile")
    #expect(Prompt(Prompt(["x", "y"])).text == "x\ny")
  }

  @Test func instructionsAreBuiltAlike() {
    let instructions = Instructions {
      "Be kind."
      Landmark(name: "Etna")
      Instructions("Be brief.")
    }
    #expect(instructions.text == "Be kind.\nSpeak of\nEtna\nBe brief.")
    #expect(Instructions(["x", "y"]).text == "x\ny")
  }
}
