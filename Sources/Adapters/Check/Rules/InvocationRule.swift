import JSON
import SystemFiles
import TensorFiles

/// The invocation of an activated adapter is a list of tokens, which the base has.
enum InvocationRule {
  static func findings(_ value: JSONValue?, _ place: Finding.Place) -> [Finding] {
    guard let value else { return [] }
    guard let list = value.array else { return [SettingsRule.mistyped(place, value, "an array")] }
    guard (1...AdapterSettings.invocationLimit).contains(list.count) else {
      return [
        finding(
          place, "The invocation has \(Figures.count(list.count, "token")).",
          remedy: "Name 1 to \(AdapterSettings.invocationLimit) tokens, or leave the list out.")
      ]
    }
    let wrong = list.indices.filter { index in
      list[index].integer.flatMap(Int32.init(exactly:)).map { $0 < 0 } ?? true
    }
    return wrong.map { index in
      finding(
        .init(place.file, key: "\(place.key ?? "")[\(index)]", line: place.line),
        "The value is not the number of a token.", remedy: "Write a whole number of 0 or more.")
    }
  }

  private static func finding(
    _ place: Finding.Place, _ message: String, remedy: String
  ) -> Finding {
    Finding("settings.invocation", at: place, message, remedy: remedy)
  }

  /// Against the base, where its file is at hand.
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    guard let metadata = package.metadata, let invocation = metadata.metadata?.settings.invocation,
      let count = package.baseFile.flatMap({ $0.tensor(named: "token_embd.weight")?.rows }),
      let token = invocation.first(where: { $0 >= count })
    else { return [] }
    return [
      Finding(
        "compatibility.invocation", .error, .compatibility,
        at: metadata.place("creatorDefined.fmadapter.invocationTokens"),
        "The token \(token) of the invocation is outside the base's \(Figures.grouped(count)) tokens.",
        remedy: "Use the base that the adapter was trained on.")
    ]
  }
}
