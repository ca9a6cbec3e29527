import Foundation
import FoundationModels
import Synchronization

/// Passes the events of one model on, and says whose they are.
final class SignedAnswer: Sendable {
  private typealias Event = LanguageModelExecutorGenerationChannel.Event

  private struct State {
    var hasBegun = false
    /// What the model says of its responses and calls, by their identities.
    var responses: [String?: EntryMetadata] = [:]
    var calls: [String: (entry: String?, name: String, metadata: EntryMetadata)] = [:]
    var usage: Event?
    var own: Event?
  }

  private let state = Mutex(State())
  private let outer: LanguageModelExecutorGenerationChannel
  private let signature: EntryMetadata

  init(
    _ name: String, _ passings: [FallbackModel.Passing],
    _ outer: LanguageModelExecutorGenerationChannel
  ) {
    self.outer = outer
    var signature: EntryMetadata = ["answeredBy": name]
    if !passings.isEmpty {
      let reasons = passings.map { passing in
        "\(passing.from): \(passing.reason.rawValue): \(Self.text(passing.error))"
      }
      signature["passedOn"] = reasons
    }
    self.signature = signature
  }

  private static func text(_ error: any Error) -> String {
    (error as? LanguageModelSession.GenerationError)?.context.debugDescription
      ?? (error as? LanguageModelError)?.debugDescription
      ?? (error as? any LocalizedError)?.errorDescription ?? "\(error)"
  }

  /// Where the model sends its answer.
  var channel: LanguageModelExecutorGenerationChannel {
    LanguageModelExecutorGenerationChannel { [self] in take($0) }
  }

  /// Whether something has come that another model would have to take back.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  private func take(_ event: LanguageModelExecutorGenerationChannel.Event) {
    let isHeld = state.withLock { state -> Bool in
      switch event.kind {
      case .answer:
        // It has to be the last one: it tells that all that was said is as the model said it.
        state.own = event
        return true
      case .response(let response):
        switch response.action.kind {
        case .metadata(let metadata):
          state.responses[response.entryID] = metadata.values
          return true
        case .usage:
          state.usage = event
          return true
        default:
          if state.responses[response.entryID] == nil { state.responses[response.entryID] = [:] }
        }
      case .toolCalls(let calls):
        switch calls.action.kind {
        case .call(let call):
          let known = state.calls[call.id]?.metadata ?? [:]
          state.calls[call.id] = (calls.entryID, call.name, known)
          guard case .metadata(let metadata) = call.action.kind else { break }
          state.calls[call.id]?.metadata = metadata.values
          return true
        case .remove(let id): state.calls[id] = nil
        case .usage:
          state.usage = event
          return true
        case .metadata: break
        }
      case .reasoning(let reasoning):
        guard case .usage = reasoning.action.kind else { break }
        state.usage = event
        return true
      }
      state.hasBegun = true
      return false
    }
    if !isHeld { outer.post(event) }
  }

  /// Says whose answer it was, once all of it has come.
  func sign() {
    var events = state.withLock { state -> [Event] in
      var events: [Event] = state.calls.map { id, call in
        .toolCalls(
          entryID: call.entry,
          action: .toolCall(
            id: id, name: call.name,
            action: .updateMetadata(call.metadata.merging(signature) { $1 })))
      }
      if state.responses.isEmpty, state.calls.isEmpty { state.responses[nil] = [:] }
      events += state.responses.map { id, metadata in
        .response(entryID: id, action: .updateMetadata(metadata.merging(signature) { $1 }))
      }
      return events
    }
    tellUsage()
    if let own = state.withLock({ $0.own }) { events.append(own) }
    for event in events { outer.post(event) }
  }

  /// Says what the answer has taken; that of a model that has passed the request on would stand in the place of the next one's.
  func tellUsage() {
    if let usage = state.withLock({ $0.usage }) { outer.post(usage) }
  }
}
