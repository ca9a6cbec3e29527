package import LanguageModels

/// How well a draft foretells an adapted base.
public struct DraftMeasure: Sendable, Equatable {
  /// Mean divergence of the probabilities, in nats.
  public internal(set) var divergence = 0.0
  /// For each answer and each place of it, whether the draft's likeliest token is the base's.
  var agreements: [[Bool]] = []

  /// How many places there are.
  var places: Int { agreements.reduce(0) { $0 + $1.count } }

  /// Share of the places where the likeliest tokens are the same.
  public var acceptance: Double {
    let right = agreements.reduce(0) { $0 + $1.count { $0 } }
    return Double(right) / Double(max(places, 1))
  }

  /// Tokens that come per pass of the base when the draft proposes `count` each time: with k of them right in a row, k + 1.
  package func tokensPerPass(proposals count: Int) -> Double {
    var passes = 0
    for agreements in agreements {
      var place = 0
      while place < agreements.count {
        passes += 1
        place += agreements[place...].prefix(count).prefix { $0 }.count + 1
      }
    }
    return Double(places) / Double(max(passes, 1))
  }

  /// The number of proposals that brings most tokens per time where passes cost `costs`, and what it brings.
  ///
  /// A token of the draft takes `draftCost` of a pass of the base.
  package func best(_ costs: PassCosts, draftCost: Double) -> DraftPrediction {
    (1..<PassCosts.count).reduce(
      DraftPrediction(proposals: 0, tokensPerPass: 1, speedup: 1)
    ) { best, count in
      let tokens = tokensPerPass(proposals: count)
      let speedup = tokens / (costs.ratio(count + 1) + Double(count) * draftCost)
      guard speedup > best.speedup else { return best }
      return DraftPrediction(proposals: count, tokensPerPass: tokens, speedup: speedup)
    }
  }
}

/// What a draft is expected to bring on a machine.
package struct DraftPrediction: Sendable, Equatable {
  /// Proposals of a pass; 0 where the draft costs more than it saves.
  package let proposals: Int
  /// Tokens that come of it.
  package let tokensPerPass: Double
  /// How many times as fast as a token a pass.
  package let speedup: Double
}
