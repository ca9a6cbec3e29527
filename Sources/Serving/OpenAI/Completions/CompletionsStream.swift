import JSON

/// The chunks of completions, as server-sent events.
final class CompletionsStream: HTTPStream {
  private let completions: Completions
  private let options: StreamOptions
  private var run: GenerationRun { completions.run }
  /// Answers that have begun to be told.
  private var begun: Set<Int> = []
  private var (ended, isOver) = (0, false)

  init(_ completions: Completions, _ options: StreamOptions) {
    (self.completions, self.options) = (completions, options)
  }

  var ping: [UInt8]? { ChatCompletionsStream.form.ping }

  func next() -> [UInt8]? {
    guard !isOver else { return nil }
    do throws(ServingError) {
      guard let (index, news) = try run.nextNews() else {
        isOver = true
        return nil
      }
      return opening(of: index) + events(of: news, index)
    } catch {
      isOver = true
      return ChatCompletionsStream.form.failure(error)
    }
  }

  /// What comes before the first piece of an answer.
  private func opening(of index: Int) -> [UInt8] {
    guard begun.insert(index).inserted else { return [] }
    let opening = completions.opening(of: index)
    return opening.isEmpty ? [] : event(completions.choice(index, opening, []))
  }

  private func events(of news: Answer.News, _ index: Int) -> [UInt8] {
    switch news {
    case .piece(let piece):
      return event(completions.choice(index, piece.text, piece.reports))
    case .end(let end, _):
      ended += 1
      return event(completions.choice(index, "", [], end)) + (ended == run.count ? finish() : [])
    }
  }

  private func finish() -> [UInt8] {
    isOver = true
    guard options.includesUsage else { return ChatCompletionsStream.done }
    var usage = completions.object([])
    usage["usage"] = completions.usage
    return ChatCompletionsStream.event(usage) + ChatCompletionsStream.done
  }

  private func event(_ choice: JSONValue) -> [UInt8] {
    ChatCompletionsStream.event(completions.object([choice]))
  }
}
