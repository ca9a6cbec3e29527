import FoundationEssentials
import JSON

extension RequestRecord {
  /// The status of a request whose client has gone before it had one, as nginx writes it.
  static let statusOfNone = 499

  /// The record as a line for people: time, client, method, route, status and seconds, then what has a name.
  package var line: String {
    let facts = facts
    var words = [
      stamp, client, method, facts.route ?? "-", "\(facts.status ?? Self.statusOfNone)",
      "\(Self.seconds(facts.whole))s",
    ]
    if let model = facts.model {
      let usage = facts.usage
      words += [
        "model=\(Self.word(model))", "in=\(usage.prompt)", "cached=\(usage.cached)",
        "out=\(usage.generated)",
      ]
    }
    if let first = facts.firstToken { words.append("first=\(Self.seconds(first))s") }
    if facts.isInactive { words.append("inactive") }
    words.append("id=\(identity)")
    if !facts.isComplete { words.append("cut") }
    return words.joined(separator: " ")
  }

  /// The record as one object of JSON.
  package var json: String {
    let facts = facts
    var object: JSONObject = [
      "time": .string(stamp), "client": .string(client), "method": .string(method),
      "route": .text(facts.route), "status": .integer(facts.status ?? Self.statusOfNone),
      "complete": .bool(facts.isComplete), "duration_seconds": Self.number(facts.whole),
      "request_id": .string(identity), "model": .text(facts.model),
    ]
    if facts.model != nil {
      object["adapter_active"] = .bool(!facts.isInactive)
      object["prompt_tokens"] = .integer(facts.usage.prompt)
      object["cached_tokens"] = .integer(facts.usage.cached)
      object["completion_tokens"] = .integer(facts.usage.generated)
      object["time_to_first_token_seconds"] = facts.firstToken.map(Self.number) ?? .null
    }
    return JSONValue.object(object).line
  }

  /// UTC to the millisecond.
  private var stamp: String {
    time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// A word as it is, or in quotes where it could be read as several.
  private static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    return isPlain ? text : JSONValue.string(text).line
  }

  private static func milliseconds(_ time: Duration) -> Int {
    Int((time / .milliseconds(1)).rounded())
  }

  private static func number(_ time: Duration) -> JSONValue {
    .number(JSONNumber(Double(milliseconds(time)) / 1000))
  }

  private static func seconds(_ time: Duration) -> String {
    let (whole, rest) = milliseconds(time).quotientAndRemainder(dividingBy: 1000)
    return "\(whole).\(String(rest + 1000).dropFirst())"
  }
}

extension RequestRecord.Facts {
  /// Whether the client got all that there was to say.
  var isComplete: Bool { isWhole && !isGivenUp }
}
