import ChatTemplates
import Chats
import Grammars
import SystemFiles

// What people are told of rounds of calls.
extension ToolRounds {
  /// Said before an answer that the model has to give; nil where it chooses.
  var note: String? {
    switch end {
    case .limit:
      "the model has called tools in \(Figures.count(count, "round")), as many as may be, and has to answer now; "
        + "\(ToolOptions.maximumRounds.name) allows more"
    case .repetition:
      "the model has called the same with the same arguments twice in a row, and has to answer now"
    case nil: nil
    }
  }

  /// That the prompt with all calls and results has no room in the context.
  func overflow(needed: Int, limit: Int) -> Failure {
    Failure(
      .usage,
      "what the tools put out leaves no room for an answer: \(Figures.count(needed, "token")) of a context of "
        + "\(Figures.grouped(limit)) after \(told)"
        + "\(remedy: "let the tools print less, or allow fewer rounds with \(ToolOptions.maximumRounds.name)")"
    )
  }

  fileprivate var told: String { Figures.count(count, "round") + " of calls" }
}

extension ChatTurn {
  /// What is wrong with an answer without whole calls; nil where nothing is.
  func defect(isFull: Bool, inChat: Bool = false) -> Failure? {
    // Half of a call reads as text where no special token begins calls.
    guard !answer.isCutCall, rounds.calling != .required else {
      let remedy =
        isFull
        ? "let the tools print less, or allow fewer rounds with \(ToolOptions.maximumRounds.name)"
        : inChat
          ? "give it more room with /set max-tokens N, and then /retry"
          : "give it more room with --max-tokens"
      return .cut(
        "the answer was cut within a call of a tool\(isFull ? ", as the context is full" : "")"
          + "\(remedy: remedy)")
    }
    guard rounds.end != nil, text.allSatisfy(\.isWhitespace) else { return nil }
    return .cut(
      "the model gave no answer after \(rounds.told)"
        + "\(remedy: "ask for less at once, or let another base or adapter call the tools")")
  }

  /// ``constraint()``, whose defects are those of the tools that a person has named.
  func checkedConstraint() throws -> (any TokenConstraint)? {
    do throws(GrammarDefect) { return try constraint() } catch {
      throw Failure(.invalid, "\(error)")
    }
  }
}
