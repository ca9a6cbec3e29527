import JSON

/// What a message says of whether it is learnt: OpenAI's `weight`, `loss` and `loss_scale` of ms-swift, and axolotl's `train` and
/// `training`, whose `train_detail` says it of parts.
enum LearningMark {
  static let keys = ["weight", "loss", "loss_scale", "train", "training", "train_detail"]

  /// Whether a mark says that all of the message is learnt, or nothing; nil where it says neither.
  static func isLearnt(_ mark: JSONObject.Member) -> Bool? {
    if mark.key == "train_detail" {
      guard let parts = mark.value.array?.map({ $0.object?["train"] }) else { return nil }
      if parts.allSatisfy({ $0 == .bool(true) }) { return true }
      return parts.allSatisfy { $0 == .bool(false) } ? false : nil
    }
    if case .bool(let isLearnt) = mark.value { return isLearnt }
    return mark.value.number == nil ? nil : mark.value.isOne
  }

  /// The mark by which a message is not learnt, if it has one.
  static func denial(in message: JSONObject) -> JSONObject.Member? {
    message.members.first { keys.contains($0.key) && isLearnt($0) == false }
  }

  /// What is wrong with a mark that says neither.
  static func defect(of mark: JSONObject.Member) -> String {
    switch mark.key {
    case "weight", "loss_scale": "The \(mark.key) is \(mark.value.line), neither 0 nor 1."
    case "train_detail" where mark.value.array == nil:
      "The train_detail is \(mark.value.kind), not a list of parts."
    case "train_detail": "Parts of the answer are to be learnt, and others not."
    default: "'\(mark.key)' is \(mark.value.line), neither true nor false."
    }
  }

  /// The message with its marks as OpenAI's data has them, but for those that say neither.
  static func asWeight(_ message: JSONObject) -> JSONObject {
    guard message.keys.contains(where: keys.contains) else { return message }
    var weighed = message
    for mark in message.members where mark.key != "weight" && keys.contains(mark.key) {
      if isLearnt(mark) != nil { weighed[mark.key] = nil }
    }
    if message["role"] == .string("assistant"), denial(in: message) != nil {
      weighed["weight"] = .number(JSONNumber(0))
    }
    return weighed
  }
}
