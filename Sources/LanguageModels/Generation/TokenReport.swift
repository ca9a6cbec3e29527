#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How likely a token was, and which others were.
package struct TokenReport: Sendable, Equatable {
  /// A token with the natural logarithm of its probability.
  package struct Choice: Sendable, Equatable {
    package let token: Int32
    package let logProbability: Float
  }

  /// The token that came.
  package let chosen: Choice
  /// The likeliest ones, the likeliest first.
  package let likeliest: [Choice]

  /// What `logits`, `(vocabulary)`, say of `token` and of the `count` likeliest.
  init(of token: Int32, _ logits: Span<Float>, likeliest count: Int) {
    var largest = -Float.infinity
    for index in logits.indices { largest = max(largest, logits[index]) }
    var sum = 0.0
    for index in logits.indices { sum += Double(exp(logits[index] - largest)) }
    let total = largest + Float(log(sum))
    chosen = Choice(token: token, logProbability: logits[Int(token)] - total)
    var best: [Choice] = []
    for index in logits.indices where count > 0 {
      let value = logits[index] - total
      if best.count == count, let last = best.last, value <= last.logProbability { continue }
      let place = best.firstIndex { $0.logProbability < value } ?? best.count
      best.insert(Choice(token: Int32(index), logProbability: value), at: place)
      if best.count > count { best.removeLast() }
    }
    likeliest = best
  }
}
