import JSON

/// The chunks of completions, as server-sent events.
final class CompletionsStream: HTTPStream {
  private enum State {
    case beginning
    case answering
    case ended
  }

  private let completions: Completions
  private let options: StreamOptions
  private var run: GenerationRun { completions.run }
  private var state = State.beginning

  init(_ completions: Completions, _ options: StreamOptions) {
    (self.completions, self.options) = (completions, options)
  }

  func next() -> [UInt8]? {
    do throws(ServingError) {
      switch state {
      case .beginning:
        state = .answering
        let opening = completions.opening
        if !opening.isEmpty { return event(completions.choice(opening, [])) }
        return try answer()
      case .answering: return try answer()
      case .ended: return nil
      }
    } catch {
      state = .ended
      return ChatCompletionsStream.event(OpenAIErrors.json(error)) + ChatCompletionsStream.done
    }
  }

  private func answer() throws(ServingError) -> [UInt8]? {
    if let piece = try run.next() { return event(completions.choice(piece.text, piece.reports)) }
    state = .ended
    guard let end = run.current.end else { return nil }
    let last = event(completions.choice("", [], end))
    if try completions.goOn() {
      state = .beginning
      return last
    }
    return last + finish()
  }

  private func finish() -> [UInt8] {
    guard options.includesUsage else { return ChatCompletionsStream.done }
    var usage = completions.object([])
    usage["usage"] = completions.usageObject
    return ChatCompletionsStream.event(usage) + ChatCompletionsStream.done
  }

  private func event(_ choice: JSONValue) -> [UInt8] {
    ChatCompletionsStream.event(completions.object([choice]))
  }
}
