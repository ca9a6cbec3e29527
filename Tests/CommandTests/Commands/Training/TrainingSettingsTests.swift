import AdapterTraining
import TestSupport
import Testing

@testable import fmadapter

@Suite struct TrainingSettingsTests {
  private static let head = "{\"format\": \"fmadapter.training.1\",\n\"data\": \"train.jsonl\",\n"

  /// Members behind the first two lines, and what is said of them.
  static let refused: [(members: String, error: String)] = [
    (
      "\"patience\": -1",
      "line 3: 'patience' is -1, not an integer from 0 to 1000; write an integer from 0 to 1000"
    ),
    (
      "\"patience\": \"4\"",
      "line 3: 'patience' is \"4\", not an integer from 0 to 1000; write an integer from 0 to 1000"
    ),
    (
      "\"heldOut\": 1",
      "line 3: 'heldOut' is 1, not a share from 0 up to 1; write a share from 0 up to 1"
    ),
    (
      "\"heldOut\": \"10%\"",
      "line 3: 'heldOut' is \"10%\", not a share from 0 up to 1; write a share from 0 up to 1"
    ),
    ("\"valid\": null", "line 3: 'valid' is null, not a string; write a string"),
    ("\"suffixes\": 1", "line 3: 'suffixes' is 1, not true or false; write true or false"),
    (
      "\"chatFormat\": \"x\"",
      "line 3: 'chatFormat' is \"x\", not afm, chatml, llama2, llama3, gemma or phi3; write afm, chatml, llama2, llama3, gemma or phi3"
    ),
    (
      "\"packageVersion\": \"x\"",
      "line 3: 'packageVersion' is \"x\", not a version such as \"1.2.0\"; write a version such as \"1.2.0\""
    ),
    ("\n\"seed\": 5", "line 4: 'seed' is a setting within 'options'; put it there"),
    ("\"patiense\": 5", "line 3: there is no setting 'patiense'; did you mean 'patience'?"),
    (
      "\"learning-rate\": 1",
      "line 3: there is no setting 'learning-rate'; did you mean 'learningRate' within 'options'?"
    ),
    ("\"zzz\": 1", "line 3: there is no setting 'zzz'; leave it out"),
    ("\"from\": \"a\",\n\"from\": \"b\"", "line 4: 'from' stands twice; write it once"),
    (
      "\"options\": {\"seed\": \"1\",\n\"seed\": \"2\"}",
      "line 4: 'options.seed' stands twice; write it once"
    ),
    ("\"options\": [1]", "line 3: 'options' is [1], not an object; write an object"),
    (
      "\"options\": {\n\"rank\": 0}",
      "line 4: 'rank' is 0, but has to be in 1.0 to 4096.0; write a number within that"
    ),
    ("\"options\": {\n\"rank\": 2.5}", "line 4: 'rank' is 2.5, not an integer; write an integer"),
    (
      "\"options\": {\n\"alpha\": \"16\"}",
      "line 4: 'alpha' is \"16\", not a number; write a number"
    ),
    (
      "\"options\": {\n\"schedule\": \"step\"}",
      "line 4: 'schedule' is \"step\", not \"cosine\", \"linear\" or \"constant\"; write \"cosine\", \"linear\" or \"constant\""
    ),
    (
      "\"options\": {\n\"targets\": [\"attn_x\"]}",
      "line 4: 'targets' is [\"attn_x\"], not a list of projections such as [\"attn_q\", \"attn_v\"]; "
        + "write a list of projections such as [\"attn_q\", \"attn_v\"]"
    ),
    (
      "\"options\": {\n\"targets\": []}",
      "line 4: 'targets' is [], not a list of projections such as [\"attn_q\", \"attn_v\"]; "
        + "write a list of projections such as [\"attn_q\", \"attn_v\"]"
    ),
    (
      "\"options\": {\n\"seed\": -5}",
      "line 4: 'seed' is -5, not an integer from 0 to 18446744073709551615; write an integer from 0 to 18446744073709551615"
    ),
    (
      "\"options\": {\n\"patience\": 5}",
      "line 4: 'patience' is a setting beside 'options'; put it there"
    ),
    (
      "\"options\": {\n\"learning_rate\": 5}",
      "line 4: there is no setting 'learning_rate'; did you mean 'learningRate'?"
    ),
    ("\"options\": {\n\"threads\": 5}", "line 4: there is no setting 'threads'; leave it out"),
    (
      "\"name\": 'x'",
      "line 3: found ''', expected a value; give a file that 'fmadapter train' wrote beside a package"
    ),
  ]

  private func error(_ text: String) throws -> String {
    let folder = try TemporaryDirectory()
    let path = try folder.write(text, to: "settings.json")
    let failure = #expect(throws: Failure.self) { try TrainingSettings(path: path) }
    #expect(failure?.code == .invalid)
    return failure.map { "\($0.text)" }?.replacing(path + ": ", with: "") ?? ""
  }

  @Test(arguments: refused)
  func whatIsNoSettingIsRefusedByItsLine(_ members: String, _ text: String) throws {
    #expect(try error(Self.head + members + "}") == text)
  }

  /// An option that the reader did not know would be refused, as one that is misspelt, with the wrong words.
  @Test func everyOptionIsKnown() {
    let options = Mirror(reflecting: TrainingOptions()).children.compactMap(\.label)
    #expect(Set(TrainingSettingsReader.sample.keys) == Set(options).subtracting(["threads"]))
  }

  @Test func otherFilesAreRefused() throws {
    let remedy = "; give a file that 'fmadapter train' wrote beside a package"
    #expect(try error("[]") == "is not a JSON object" + remedy)
    #expect(try error("{\"format\": \"x\"}") == "is no configuration of a training" + remedy)
    #expect(
      try error("{\"format\": \"fmadapter.training.1\"}")
        == "there is no setting 'data'; write the path of a data set")
  }

  /// Seeds are read as people write them, too, and all of their digits.
  @Test(arguments: ["5", "\"5\"", "18446744073709551615", "\"18446744073709551615\""])
  func seedsAreIntegersOrStrings(_ seed: String) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(
      Self.head + "\"options\": {\"seed\": \(seed)}}", to: "settings.json")
    #expect(
      try TrainingOptions(json: #require(TrainingSettings(path: path).someOptions)).seed
        == UInt64(seed.filter { $0 != "\"" }))
  }

  @Test func whatIsLeftOutIsLeftToTheData() throws {
    let usual = TrainingOptions.usualAlpha(rank: 16)
    var over = TrainingOptions()
    (over.objective, over.alpha, over.averaging) = (.dpo, usual, 0.04)
    let options = try TrainingOptions(
      json: ["rank": .integer(4), "steps": .integer(3)], over: over)
    over.alpha = TrainingOptions.usualAlpha(rank: 4)
    (over.rank, over.steps) = (4, 3)
    #expect(options == over)
  }

  @Test func pathsAreSeenFromTheFileWhereNothingElseIs() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Self.head + "\"base\": \"afm-9m\"}", to: "settings.json")
    var settings = try TrainingSettings(path: path)
    let error = #expect(throws: Failure.self) { try settings.find(beside: path, data: nil) }
    #expect(error.map { "\($0.text)" }?.contains("neither in the working folder nor") == true)
    let data = try folder.write("", to: "train.jsonl")
    try settings.find(beside: path, data: nil)
    #expect(settings.data == data && settings.base == "afm-9m")
    try settings.find(beside: path, data: "other.jsonl")
    #expect(settings.data == "other.jsonl")
    settings.data = "/nowhere/train.jsonl"
    let absent = #expect(throws: Failure.self) { try settings.find(beside: path, data: nil) }
    #expect(
      absent.map { "\($0.text)" }?.contains("“/nowhere/train.jsonl” is not there; give") == true)
  }

  /// Whatever a training writes is read again.
  @Test func allSettingsAreReadAgain() throws {
    let folder = try TemporaryDirectory()
    var settings = TrainingSettings(data: "d")
    (settings.dataSHA256, settings.valid, settings.base) = ("0", "v", "b")
    (settings.chatFormat, settings.from, settings.name) = ("afm", "f", "n")
    (settings.heldOut, settings.patience, settings.suffixes) = (0.25, 3, true)
    (settings.version, settings.goesOnWith) = ("1.2.3", "hash")
    (settings.validSHA256, settings.baseSignature, settings.fromSHA256) = ("1", "2", "3")
    settings.heldOutSHA256 = "4"
    var options = TrainingOptions()
    options.objective = .orpo
    (options.steps, options.warmupSteps, options.warmupEpochs) = (7, 8, 9)
    (options.examplesPerStep, options.contextLength, options.seed) = (10, 11, .max)
    (options.invocation, options.extensions) = ([12, 13], 2)
    settings.options = options
    let path = folder.path("settings.json")
    try settings.write(to: path)
    let read = try TrainingSettings(path: path)
    #expect(read.json == settings.json && read.options == options)
  }
}
