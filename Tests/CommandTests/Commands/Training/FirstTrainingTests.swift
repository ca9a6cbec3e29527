import Foundation
import TestSupport
import Testing

@testable import fmadapter

/// What an author does first, word by word as the documentation has it: the defaults have to lead to an adapter that works.
@Suite(
  .enabled(
    if: runsAllTests, "minutes without an optimized program; tools/test --all runs it"))
struct FirstTrainingTests {
  private static let devices: [(name: String, states: [(word: String, verbs: [String])])] = [
    ("light", [("on", ["turn on", "switch on"]), ("off", ["turn off", "switch off"])]),
    ("heater", [("on", ["turn on", "start"]), ("off", ["turn off", "stop"])]),
    ("blind", [("up", ["raise", "pull up"]), ("down", ["lower", "let down"])]),
    ("door", [("open", ["open", "unlock"]), ("shut", ["close", "shut"])]),
  ]
  private static let rooms = [
    "kitchen", "bedroom", "garage", "hall", "office", "bathroom", "attic", "garden", "nursery",
  ]

  /// Requests and what they are in a command language that no base knows.
  private static func examples(_ count: Int, seed: UInt64) -> [(prompt: String, answer: String)] {
    var random = SeededGenerator(seed: seed)
    var examples: [String: String] = [:]
    while examples.count < count {
      func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
      }
      let device = any(devices)
      let state = any(device.states)
      let (room, verb, hour) = (any(rooms), any(state.verbs), any(Array(6...22)))
      let polite = any(["", "please ", "can you "])
      examples["\(polite)\(verb) the \(device.name) in the \(room) at \(hour)"] =
        "!\(device.name)/\(room):\(state.word)@\(hour)"
    }
    return examples.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }.shuffled(using: &random)
  }

  @Test func theDefaultsLearnACommandLanguage() throws {
    let folder = try TemporaryDirectory()
    let environment = ["FMADAPTER_HOME": folder.path("store")]
    let examples = Self.examples(550, seed: 3)
    func file(_ range: Range<Int>, _ name: String) throws -> String {
      let lines = examples[range].map {
        "{\"prompt\": \"\($0.prompt)\", \"completion\": \"\($0.answer)\"}\n"
      }
      return try folder.write(lines.joined(), to: name)
    }
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    try Tool.run("base", "install", base, environment: environment).expectSuccess()
    let package = folder.path("mine.fmadapter")
    let training = try Tool.run(
      "train", try file(0..<450, "train.jsonl"), "--valid", try file(450..<500, "valid.jsonl"),
      "-o",
      package, "--epochs", "3", environment: environment
    ).expectSuccess()

    let right = try examples[500..<550].count { example in
      return try Tool.run(
        "run", package, example.prompt, "--temperature", "0", environment: environment
      ).text.trimmingCharacters(in: .whitespacesAndNewlines) == example.answer
    }
    print("right answers: \(right) of 50")
    #expect(right >= 45, "\(training.errorText)")
  }
}
