import JSON

extension RequestReader {
  /// Fields that ask for nothing here, whatever they say: who asks, for whom, where, at which price, and what is to be kept elsewhere.
  ///
  /// The description of requests and the documentation of `serve` list them.
  static let idle: Set = [
    "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key",
    "prompt_cache_retention", "prompt_cache_options", "client_metadata", "cache_control",
    "inference_geo", "user_profile_id", "workspace_id", "billing_policy", "cache_prompt",
    "truncate", "shift",
  ]

  /// Fields that ask for nothing by these values, which their makers take where nobody sets them.
  private static let usual: [String: JSONValue] = [
    "modalities": .array([.string("text")]), "verbosity": .string("medium"),
    "best_of": .integer(1), "length_penalty": .integer(1), "typical_p": .integer(1),
    "typ_p": .integer(1), "tfs_z": .integer(1), "penalize_newline": .bool(true),
    "skip_special_tokens": .bool(true), "spaces_between_special_tokens": .bool(true),
    "add_generation_prompt": .bool(true), "include_reasoning": .bool(true),
  ]

  /// Refuses by their names all fields that no reader has looked for, unless they ask for nothing; for when everything is read.
  func refuseRest(but names: Set<String> = idle) throws(ServingError) {
    try refuse(object.keys.filter { !reads.keys.contains($0) && !names.contains($0) })
  }

  /// Refuses fields by name that mean something which is not done here, unless they ask for nothing.
  func refuse(_ keys: [String]) throws(ServingError) {
    for key in keys {
      guard let value = object[key], !Self.asksForNothing(value, as: key) else { continue }
      throw ServingError(
        .invalidRequest, "\(place(key)): this is not supported.", field: place(key),
        code: "unsupported_parameter")
    }
  }

  /// Fields that ask for something by being there.
  private static let asking: Set = ["web_search_options"]

  private static func asksForNothing(_ value: JSONValue, as key: String) -> Bool {
    if asking.contains(key) { return value == .null }
    guard let usual = usual[key], value != .null else { return value.isEmpty }
    return value == usual || usual.number != nil && value.number?.double == usual.number?.double
  }
}

extension JSONValue {
  /// Whether the value is what most fields have where nobody sets them.
  fileprivate var isEmpty: Bool {
    switch self {
    case .null, .bool(false): true
    case .number(let number): number.double == 0
    case .string(let text): text.isEmpty
    case .array(let values): values.isEmpty
    case .object(let object): object.isEmpty
    case .bool(true): false
    }
  }
}
