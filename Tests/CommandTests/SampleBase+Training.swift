import Foundation

extension SampleBase {
  /// Examples that the base learns in a few steps, one a line.
  static func examples(_ count: Int) -> String {
    (0..<count).map { #"{"prompt": "\#($0)?", "completion": "\#($0 * 3)!"}"# + "\n" }.joined()
  }

  /// Writes four of them into the folder; their path.
  func writeExamples() throws -> String { try folder.write(Self.examples(4), to: "train.jsonl") }

  /// A base beside four examples, and where the package of a training is to stand.
  static func forTraining() throws -> (sample: SampleBase, data: String, package: String) {
    let sample = try SampleBase()
    return (sample, try sample.writeExamples(), sample.folder.path("mine.fmadapter"))
  }

  /// The words of a command that trains on `data` in a moment.
  func training(on data: String, to package: String, _ more: [String]) -> [String] {
    [
      "train", data, "--base", base, "--threads", "1", "--rank", "2", "--tokens", "40", "-o",
      package,
    ] + more
  }

  /// The events in the log of that name.
  func events(_ log: String) throws -> [[String: Any]] { try text(log).objects() }

  /// The factors of the package of that name in the folder.
  func weights(_ package: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: folder.path(package) + "/adapter_weights.bin"))
  }

  /// What stands in the file of that name in the folder.
  func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }
}
