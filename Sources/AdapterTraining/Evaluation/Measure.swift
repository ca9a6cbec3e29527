/// A measure: its name, and what it says.
package struct Measure: Sendable, Equatable {
  /// As requirements and reports have it, such as `exactMatch`.
  package let name: String
  /// What it is, in a few words.
  package let meaning: String

  /// Every measure, but for those that have the name of a field or a task behind a dot.
  package static let all: [Measure] = [
    .init("loss", "mean loss of the right answers, in nats a token"),
    .init("perplexity", "its exponential: among how many tokens the model wavers"),
    .init("exactMatch", "answers that are the right one, or one of several, to the letter"),
    .init("normalizedMatch", "the same whatever case, blanks, quotes and outer marks"),
    .init("validJSON", "answers that are JSON and nothing else, where the right one is"),
    .init(
      "fields",
      "fields of JSON that are right, of all that are wanted or given, in a fenced block or not"),
    .init("schema", "answers that fit the schema, in a fenced block or not"),
    .init("rule", "answers that keep the rule of their line"),
    .init("groups", "groups of lines of which every one keeps its rule"),
    .init("pattern", "answers that match the pattern"),
    .init("choice", "right options found likeliest, the mean of both orders"),
    .init("choiceBothWays", "the same in either order"),
    .init("choiceSwayed", "choices that the order of the options changes"),
    .init("preferred", "pairs whose chosen answer is likelier than the rejected one"),
    .init("margin", "by how many nats it is likelier, in the mean"),
    .init("cut", "answers that were cut at the limit of tokens"),
    .init("oneRight", "lists of tags with a right one"),
    .init("wellFormed", "plays that are well formed"),
    .init("namesSpeak", "plays in which the names speak"),
    .init("place", "plays in which the place occurs"),
    .init("thing", "plays in which the thing occurs"),
  ]
  /// What stands before the dot of the measures of a field, and of a task.
  static let families = [
    "fields": "right values of one field", "rule": "kept rules of one task",
  ]

  private init(_ name: String, _ meaning: String) {
    (self.name, self.meaning) = (name, meaning)
  }

  /// The measure called `name`; nil where there is none.
  package init?(_ name: String) {
    if let known = Self.all.first(where: { $0.name == name }) {
      self = known
      return
    }
    let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, let meaning = Self.families[String(parts[0])] else {
      return nil
    }
    self.init(name, meaning)
  }
}
