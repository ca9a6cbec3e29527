import Adapters
import SystemFiles

/// What a file or folder of another form says.
struct ForeignContent {
  let updates: [ModuleUpdate]
  /// Tokens from whose last occurrence in a prompt on the updates act; nil where they act on all.
  var invocation: [Int32]?
}

extension ExchangeBase {
  /// The tokens of an invocation that `key` of the file at `path` states.
  ///
  /// - Throws: `InterchangeError.setting` where there are none, too many, or others than the base has.
  func invocation(
    _ numbers: [Int], _ key: String, in path: String
  ) throws(InterchangeError) -> [Int32] {
    let (count, limit) = (numbers.count, AdapterSettings.invocationLimit)
    guard (1...limit).contains(count) else {
      throw .setting(
        path: path, key: key,
        problem: "has \(Figures.count(count, "token")), but has to have 1 to \(limit)")
    }
    let vocabulary = 0..<(vocabularySize ?? Int(Int32.max))
    if let token = numbers.first(where: { !vocabulary.contains($0) }) {
      throw .setting(
        path: path, key: key,
        problem:
          "has the token \(token), which is none of the base's \(Figures.grouped(vocabulary.count))"
      )
    }
    return numbers.map { Int32($0) }
  }
}
