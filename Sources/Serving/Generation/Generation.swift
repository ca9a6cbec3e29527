import Adapters
import ChatTemplates
import Chats
import FoundationEssentials
import Grammars
import JSON
import LanguageModels
import Tokenization

extension GenerationRequest {
  /// How tokens are drawn: as the client has it, and else as `model` has it.
  func sampling(of model: ServedModel) -> SamplingOptions {
    var options = SamplingOptions()
    options.take(sampling.over(model.base.model.sampling(with: model.adapters)))
    options.penalizedTokens = penalizedTokens ?? options.penalizedTokens
    options.shifts = shifts
    return options
  }
}

/// One answer as it comes, on one thread.
final class Generation {
  /// What has come since the piece before; any of its parts may be empty.
  struct Piece {
    var thought = ""
    var text = ""
    /// One per token, where that was asked for.
    var reports: [TokenReport] = []
    /// What is known of calls before the end has all of them.
    var calls: [ToolCallPart] = []
    /// Whether there is something to be handed out at once.
    fileprivate var isUrgent: Bool { !text.isEmpty || !thought.isEmpty || !calls.isEmpty }
  }

  /// Why an answer has ended.
  enum End: Equatable {
    case finished
    case stopped(String)
    /// The limit of tokens or the context was reached, or it only repeated itself.
    case length
    case calls([ChatToolCall])
  }

  let model: ServedModel
  private(set) var end: End?
  private let generator: TokenGenerator
  private var turn: ChatTurn
  private var stops: StopTexts
  private var held = Piece()
  /// Whether what begins as a call is one.
  private let tellsCalls: Bool
  /// Whether a part of a call has been handed out.
  private var hasToldCalls = false

  /// Prepares the answer to `request`, whose prompt is `prompt`.
  ///
  /// - Throws: What the request asks for and cannot have.
  init(
    _ request: GenerationRequest, _ prompt: GenerationPrompt, _ model: ServedModel, seed: UInt64?
  ) throws(ServingError) {
    self.model = model
    let base = model.base
    var form = ChatForm(base.tokenizer, renderer: prompt.renderer)
    form.endsLoops = request.form == .any
    form.offering = prompt.calling
    form.rounds = ToolRounds(request.tools.isEmpty ? .disallowed : request.calling)
    turn = ChatTurn(form, prompt.messages, prompt: prompt.tokens)
    stops = StopTexts(request.stops)
    tellsCalls = request.form == .any || prompt.calling?.toolCalls?.trigger != nil
    var options = request.sampling(of: model)
    options.seed = seed
    options.maximumTokens = prompt.limit
    do {
      let session = try ModelSession(
        base.model, adapters: model.adapters, pool: base.pool, threads: base.threads)
      session.passes = base.passes
      generator = try TokenGenerator(
        session, prompt: prompt.tokens, options: options, stopTokens: form.stopTokens,
        constraint: try prompt.constraint(request, form),
        speculator: request.likeliest == nil
          ? try Speculator(model.speculation, for: session) : nil)
    } catch {
      throw ServingError(of: error)
    }
    generator.reporting = request.likeliest
  }

  var statistics: GenerationStatistics { generator.statistics }

  /// What comes next, as soon as there is something to be handed out; nil behind the end.
  ///
  /// - Throws: `.failed`, and what ends one sequence alone. Where `isCancelled` is true the answer ends in silence.
  func next(isCancelled: () -> Bool) throws(ServingError) -> Piece? {
    while end == nil {
      do throws(BaseModelError) {
        guard let token = try generator.next(isCancelled: isCancelled) else {
          finish()
          break
        }
        take(token)
      } catch {
        if error == .cancelled { return nil }
        throw ServingError(of: error)
      }
      if held.isUrgent { break }
    }
    defer { held = Piece() }
    return held.isUrgent || !held.reports.isEmpty ? held : nil
  }

  private func take(_ token: Token) {
    if let report = generator.report { held.reports.append(report) }
    hand(turn.append(token))
    if tellsCalls {
      held.calls += turn.takeCallParts()
      // No stop begins before a call and ends in it.
      if !held.calls.isEmpty {
        held.text += stops.finish()
        hasToldCalls = true
      }
    }
    if let stop = stops.found {
      generator.stop()
      end = .stopped(stop)
    } else if turn.isLooping {
      generator.stop()
      finish(loops: true)
    }
  }

  private func finish(loops: Bool = false) {
    let rest = turn.finish()
    // What is cut within a call was told as one, as far as it came.
    if !(turn.answer.isCutCall && hasToldCalls) { hand(rest) }
    held.text += stops.finish()
    if let stop = stops.found {
      end = .stopped(stop)
    } else if !turn.calls.isEmpty {
      end = .calls(turn.calls)
    } else {
      end = loops || generator.statistics.finish == .length ? .length : .finished
    }
  }

  private func hand(_ parts: [ThoughtStream.Part]) {
    for part in parts {
      switch part {
      case .answer(let text): held.text += stops.append(text)
      case .thought(let text): held.thought += text
      }
    }
  }
}

extension Generation.End {
  /// Calls of tools that an answer has ended with.
  var calls: [ChatToolCall] { if case .calls(let calls) = self { calls } else { [] } }

  /// The parts of those calls behind the first `count`.
  func parts(behind count: Int) -> [ToolCallPart] {
    calls.dropFirst(count).flatMap { [.begin($0.name), .arguments($0.arguments.line)] }
  }
}
