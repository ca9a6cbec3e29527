import AdapterTraining
import JSON
import SystemFiles

/// What happens in a training, as JSON: a line for each event, in the file beside the package as soon as it happens.
///
/// A training that goes on behind a checkpoint keeps the lines of the steps before it.
final class TrainingLog {
  /// All events, those of earlier runs of this training among them.
  private(set) var events: [JSONObject] = []
  private let file: WritableFile
  private let lock: FileLock
  private let streams: Bool
  private let terminal: Terminal
  private var end = 0

  /// Opens the log of a training at `place`; with `streams` every event is printed, too.
  ///
  /// - Throws: `Failure` where another training writes there.
  init(_ place: TrainingPlace, streams: Bool, _ terminal: Terminal) throws {
    guard let lock = try FileLock(path: place.work.log) else {
      throw Failure(
        .busy,
        "\(place.package): another training writes there\(remedy: "give another folder, or wait")")
    }
    self.lock = lock
    file = try WritableFile(path: place.work.log)
    (self.streams, self.terminal) = (streams, terminal)
  }

  /// Starts with nothing.
  func start() throws {
    end = 0
    try file.cut(to: end)
  }

  private static func lines(_ bytes: [UInt8]) -> [(event: JSONObject?, count: Int)] {
    bytes.split(separator: UInt8(ascii: "\n")).map { line in
      ((try? JSONDocument(parsing: Array(line)))?.root.object, line.count + 1)
    }
  }

  /// Goes on behind what an earlier run wrote up to a checkpoint after `step`, which knows the measures up to `measured`.
  func goOn(after step: Int, measured: Int) throws {
    end = 0
    for line in Self.lines(try file.read(0..<file.size)) {
      guard let event = line.event,
        let kind = event["event"]?.string,
        let number = event["step"]?.integer ?? (kind == "start" ? 0 : nil),
        number <= (kind == "measure" ? measured : step)
      else { break }
      events.append(event)
      end += line.count
    }
    // What stays is not written again: a kill would take it away.
    try file.cut(to: end)
  }

  /// Writes an event.
  func write(_ kind: String, _ members: JSONObject) throws {
    let event = JSONObject([.init(key: "event", value: .string(kind))] + members.members)
    try append(event)
    if streams { terminal.write(json: JSONValue.object(event).line + "\n") }
  }

  private func append(_ event: JSONObject) throws {
    events.append(event)
    let line = Array((JSONValue.object(event).line + "\n").utf8)
    try file.write(line, at: end)
    end += line.count
  }

  /// The epoch of the last step.
  var epoch: Int? { events.last { $0["event"]?.string == "step" }?["epoch"]?.integer }
  /// The losses of all steps.
  var losses: [(step: Int, loss: Double)] { events.losses("step") }
  /// They and the losses that were measured.
  var curve: LossCurve { LossCurve(losses: losses, measures: events.losses("measure")) }
}

extension [JSONObject] {
  /// The losses that events of a training of this kind have.
  func losses(_ kind: String) -> [(step: Int, loss: Double)] {
    compactMap { event in
      guard event["event"]?.string == kind, let step = event["step"]?.integer,
        let loss = event["loss"]?.number?.double
      else { return nil }
      return (step, loss)
    }
  }
}
