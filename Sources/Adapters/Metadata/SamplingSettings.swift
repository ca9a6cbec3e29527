import JSON

/// How tokens are drawn, as far as somebody states it: a base, an adapter, or who asks.
public struct SamplingSettings: Sendable, Equatable {
  /// What can be stated; raw values are the names in `creatorDefined.fmadapter.sampling`.
  public enum Value: String, CaseIterable, Sendable {
    /// What logits are divided by, `[0, 100]`; 0 always takes the likeliest token.
    case temperature
    /// How many of the likeliest tokens are kept, a whole number; 0 keeps all.
    case topK
    /// The share that the likeliest tokens have to reach, `(0, 1]`.
    case topP
    /// The share of the likeliest token below which others are dropped, `[0, 1]`.
    case minP
    /// What makes recent tokens less likely, `[1, 100]`.
    case repetitionPenalty

    /// Its name in messages.
    public var label: String {
      switch self {
      case .temperature: "temperature"
      case .topK: "top-k"
      case .topP: "top-p"
      case .minP: "min-p"
      case .repetitionPenalty: "repetition penalty"
      }
    }

    /// Whether it may be `number`.
    public func allows(_ number: Double) -> Bool {
      switch self {
      case .temperature: (0...100).contains(number)
      case .topK: number >= 0 && Int32(exactly: number) != nil
      case .topP: number > 0 && number <= 1
      case .minP: (0...1).contains(number)
      case .repetitionPenalty: (1...100).contains(number)
      }
    }

    /// What it has to be.
    public var rule: String {
      switch self {
      case .temperature: "between 0 and 100"
      case .topK: "0 or more"
      case .topP: "above 0 and at most 1"
      case .minP: "between 0 and 1"
      case .repetitionPenalty: "between 1 and 100"
      }
    }
  }

  private var values: [Value: Double] = [:]
  /// What a base's file states beyond the ranges in which it counts.
  package var untaken: [Value: Double] = [:]

  /// Settings that state nothing.
  public init() {}

  /// Takes what `number` gives for each value; what may not be is not stated.
  public init(_ number: (Value) -> Double?) {
    for value in Value.allCases {
      self[value] = number(value).flatMap { value.allows($0) ? $0 : nil }
    }
  }

  /// A value; nil where it is not stated.
  public subscript(value: Value) -> Double? {
    get { values[value] }
    set { values[value] = newValue }
  }

  /// Whether nothing is stated.
  public var isEmpty: Bool { values.isEmpty }

  /// Whether the likeliest token is asked for, which leaves nothing to draw.
  public var isGreedy: Bool { self[.temperature] == 0 }

  /// These settings, and what only `other` states; a temperature of 0 stands alone.
  public func over(_ other: SamplingSettings) -> SamplingSettings {
    isGreedy ? self : SamplingSettings { self[$0] ?? other[$0] }
  }
}

extension SamplingSettings {
  /// Reads an object that the rules have accepted.
  init(json: JSONObject) {
    self.init { json[$0.rawValue]?.number?.double }
  }

  /// What is stated, as JSON.
  var json: JSONObject {
    var object = JSONObject()
    for value in Value.allCases {
      object[value.rawValue] = self[value].map { number in
        .number(Int(exactly: number).map { JSONNumber($0) } ?? JSONNumber(number))
      }
    }
    return object
  }
}
