import AdapterTraining
import Adapters
import ChatTemplates
import Grammars
import LanguageModels
import TensorFiles
import Tokenization

/// A base and adapters that are measured, one after the other, on the same lines.
struct Evaluation {
  /// A base alone, or with an adapter.
  struct Subject {
    let name: String
    /// Path of the package; nil for the base alone.
    let package: String?
    let adapter: AppliedAdapter?
    /// Of each file, the records of its lines, in their order, as far as they have been measured.
    fileprivate(set) var records: [[AnswerRecord]]
    /// Tokens of all answers, and how long they took together.
    fileprivate(set) var tokens = 0
    fileprivate(set) var seconds = 0.0

    var tokensPerSecond: Double? { seconds > 0 && tokens > 0 ? Double(tokens) / seconds : nil }
  }

  let sources: EvaluationSources
  let model: LanguageModel
  let basePath: String
  private(set) var subjects: [Subject]
  let settings: GenerationOptions
  /// Whether everything was measured.
  private(set) var isComplete = false
  private let loaded: LoadedModel
  private let invocation: Invocation
  private let progress: ProgressLine
  private let stop = StopFlag()
  private var done = 0

  init(
    _ loaded: LoadedModel, packages: [String], _ sources: EvaluationSources,
    _ invocation: Invocation, hasBase: Bool
  ) throws {
    (self.loaded, self.sources, self.invocation) = (loaded, sources, invocation)
    (model, basePath) = (loaded.model, loaded.model.file.path)
    let none = sources.parts.map { _ in [AnswerRecord]() }
    let base = hasBase ? [Subject(name: "base", package: nil, adapter: nil, records: none)] : []
    let paths = packages.map { FilePath.name(of: $0) }
    subjects =
      base
      + zip(packages, loaded.adapters).enumerated().map { index, pair in
        // What people call it, unless two are called so.
        let name = pair.1.identifier.split(separator: "-").dropFirst().dropLast()
          .joined(separator: "-")
        let isAlone = loaded.adapters.count { $0.identifier == pair.1.identifier } == 1
        return Subject(
          name: isAlone && !name.isEmpty ? name : paths[index], package: pair.0, adapter: pair.1,
          records: none)
      }
    settings = Self.options(invocation.arguments)
    progress = ProgressLine("measuring", invocation.terminal)
  }

  private static func options(_ arguments: ParsedArguments) -> GenerationOptions {
    var options = AnswerOptions.sampling(arguments)
    options.seed = arguments.value(EvalCommand.seed) ?? 0
    return options
  }

  /// Measures everything, or what there is time for until Ctrl-C comes.
  mutating func run() throws {
    defer { progress.finish() }
    do {
      try Interruption.shared.handling(stop.raise) {
        for index in subjects.indices { try measure(index) }
      }
      isComplete = true
    } catch {
      guard Failure(error).code == .interrupted else { throw error }
      progress.finish()
      let answered = subjects.flatMap { $0.records.flatMap(\.self) }.count { $0.answer != nil }
      let all = subjects.count * sources.parts.flatMap(\.examples).count(where: \.isAsked)
      invocation.terminal.note(
        "stopped after \(Figures.grouped(answered)) of \(Figures.count(all, "answer")), of all that are measured together"
      )
    }
  }

  /// What there is to do: an answer is taken for as long as the losses of so many lines.
  private static let answerCost = 8

  private var total: Int {
    let costs = sources.parts.flatMap(\.examples).map { $0.isAsked ? 1 + Self.answerCost : 1 }
    return costs.reduce(0, +) * subjects.count
  }

  private mutating func measure(_ index: Int) throws {
    let subject = subjects[index]
    let adapters = subject.adapter.map { [$0] } ?? []
    let isFirst = subject.adapter?.contentHash == loaded.adapters.first?.contentHash
    var settings = try AnswerSettings(
      model, adapters: adapters, costs: isFirst ? loaded.costs : nil, isBound: false,
      invocation.arguments, invocation.terminal)
    settings.options = self.settings
    for part in sources.parts.indices {
      let examples = sources.parts[part].examples
      guard let chat = settings.renderer else { preconditionFailure("there is no --raw") }
      let renderer = ExampleRenderer(chat, tokenizer: settings.tokenizer)
      var records = examples.indices.map { AnswerRecord(index: $0) }
      try measureLosses(&records, examples, renderer, subject)
      // Losses stay, although an answer may not come.
      defer { subjects[index].records[part] = records }
      try answer(index, part, renderer, settings) { place, answer, tokens, isCut in
        records[place].answer = answer
        (records[place].tokens, records[place].isCut) = (tokens, isCut)
      }
    }
  }

  private mutating func measureLosses(
    _ records: inout [AnswerRecord], _ examples: [EvaluationExample], _ renderer: ExampleRenderer,
    _ subject: Subject
  ) throws {
    let meter = try LossMeter(
      model, adapter: subject.adapter, threads: invocation.arguments.value(ModelOptions.threads))
    let wholes = examples.indices.filter { examples[$0].whole != nil }
    let rendered = try wholes.map { try render(examples[$0]) { try renderer.render($0) } }
    let before = done
    let (all, title) = (total, subject.name)
    let losses = try meter.losses(
      of: rendered.compactMap(\.self), isCancelled: { [stop] in stop.isRaised || Task.isCancelled },
      progress: { progress.update(done: before + $0, total: all, "losses of \(title)") })
    for (place, loss) in zip(wholes, losses) { records[place].loss = loss }
    for place in examples.indices where !examples[place].options.isEmpty {
      let orders = try render(examples[place]) { _ in try renderer.options(examples[place]) } ?? []
      let found = try meter.losses(
        of: orders.flatMap(\.self), isCancelled: { [stop] in stop.isRaised || Task.isCancelled })
      let count = examples[place].options.count
      records[place].options = orders.indices.map { order in
        Array(found[order * count..<(order + 1) * count])
      }
    }
    done += examples.count
  }

  /// What `body` makes of a line, with the place of what cannot be rendered.
  private func render<Rendered>(
    _ example: EvaluationExample, _ body: (TrainingExample) throws -> Rendered
  ) throws -> Rendered? {
    guard let whole = example.whole else { return nil }
    do {
      return try body(whole)
    } catch DataSetError.rendering(let defect, let line) {
      throw Failure(.invalid, "\(example.file): line \(line): \(defect)")
    }
  }

  /// A line that is being answered.
  private struct Turn {
    let place: Int
    let prompt: [Token]
    let constraint: (any TokenConstraint)?
    var decoder: AnswerDecoder
  }

  private mutating func answer(
    _ index: Int, _ part: Int, _ renderer: ExampleRenderer, _ settings: AnswerSettings,
    note: (_ place: Int, _ answer: String, _ tokens: Int, _ isCut: Bool) -> Void
  ) throws {
    let examples = sources.parts[part].examples
    let limit = model.configuration.contextLength
    var prompts: [(place: Int, tokens: [Token])] = []
    for place in examples.indices where examples[place].isAsked {
      prompts.append((place, try prompt(examples[place], renderer)))
    }
    let longest = prompts.map(\.tokens.count).filter { $0 < limit }.max() ?? 1
    let room = min(limit, longest + settings.options.maximumTokens)
    for prompt in prompts where prompt.tokens.count >= limit { note(prompt.place, "", 0, true) }
    let tooLong = prompts.count { $0.tokens.count >= limit }
    if tooLong > 0 {
      invocation.terminal.warn(
        "\(Figures.count(tooLong, "prompt")) without room for an answer, which count as wrong")
    }
    var waiting = prompts.filter { $0.tokens.count < limit }[...]
    let (adapters, arguments) = (subjects[index].adapter.map { [$0] } ?? [], invocation.arguments)
    let queue = GenerationQueue(width: arguments.value(EvalCommand.batch) ?? 8) { [model] in
      try ModelSession(
        model, adapters: adapters, contextLength: room,
        cache: arguments.value(ModelOptions.cache),
        threads: arguments.value(ModelOptions.threads))
    }
    let (begin, before, all) = (ContinuousClock.now, done, total)
    var (answered, tokens) = (0, 0)
    let earlier = (tokens: subjects[index].tokens, seconds: subjects[index].seconds)
    let name = subjects[index].name
    defer {
      subjects[index].tokens = earlier.tokens + tokens
      if answered > 0 {
        subjects[index].seconds = earlier.seconds + begin.duration(to: .now).inSeconds
      }
      done = before + Self.answerCost * prompts.count
    }
    try queue.run(
      next: { try waiting.popFirst().map { try turn($0, examples, renderer, settings) } },
      begin: { turn, session in
        try settings.generator(turn.prompt, on: session, constraint: turn.constraint)
      },
      isCancelled: { [stop] in stop.isRaised || Task.isCancelled },
      eachToken: { turn, token in
        _ = turn.decoder.append(token)
        tokens += 1
      },
      ended: { turn, generator in
        let isCut = generator.statistics.finish != .stopToken
        note(turn.place, Self.text(turn.decoder), generator.statistics.generatedTokens, isCut)
        answered += 1
        let rate = Double(tokens) / max(begin.duration(to: .now).inSeconds, 1e-3)
        progress.update(
          done: before + Self.answerCost * answered, total: all,
          "\(name): \(Figures.grouped(answered)) of \(Figures.count(prompts.count, "answer"))",
          "\(Figures.fixed(rate, 1)) tokens/s")
      })
  }

  private func prompt(_ example: EvaluationExample, _ renderer: ExampleRenderer) throws -> [Token] {
    do {
      return try renderer.prompt(example)
    } catch DataSetError.rendering(let defect, let line) {
      throw Failure(.invalid, "\(example.file): line \(line): \(defect)")
    }
  }

  private func turn(
    _ prompt: (place: Int, tokens: [Token]), _ examples: [EvaluationExample],
    _ renderer: ExampleRenderer, _ settings: AnswerSettings
  ) throws -> Turn {
    let offering = try renderer.offering(examples[prompt.place])
    let hasTools = !offering.tools.isEmpty
    let constraint: (any TokenConstraint)?
    do throws(GrammarDefect) {
      constraint = hasTools ? try offering.constraint(limit: ToolProgram.callLimit) : nil
    } catch {
      let example = examples[prompt.place]
      throw Failure(.invalid, "\(example.file): line \(example.line): \(error)")
    }
    return Turn(
      place: prompt.place, prompt: prompt.tokens, constraint: constraint,
      decoder: settings.decoder(after: prompt.tokens, offering: hasTools ? offering : nil))
  }

  /// The answer as it is judged: calls of tools in Apple's form, or else its text without thoughts.
  private static func text(_ decoder: AnswerDecoder) -> String {
    var decoder = decoder
    _ = decoder.finish()
    guard !decoder.called.isEmpty else { return decoder.answer }
    return AnswerRule.callText(
      .array(
        decoder.called.map { call in
          .object(["name": .string(call.name), "arguments": call.arguments])
        }))
  }
}
