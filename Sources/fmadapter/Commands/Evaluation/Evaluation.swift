import AdapterTraining
import ChatTemplates
import Chats
import Grammars
import JSON
import LanguageModels
import SystemFiles
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
    var records: [[AnswerRecord]]
    /// Tokens of all answers, and how long they took together.
    var tokens = 0
    var seconds = 0.0

    var tokensPerSecond: Double? { seconds > 0 && tokens > 0 ? Double(tokens) / seconds : nil }
  }

  let sources: EvaluationSources
  let model: BaseModel
  let basePath: String
  var subjects: [Subject]
  let settings: SamplingOptions
  /// The part of the lines that is measured here; nil for all.
  let shard: Shard?
  /// Of each file, the places of the lines that are measured here.
  let ranges: [Range<Int>]
  /// Whether everything was measured.
  private(set) var isComplete = false
  private let loaded: LoadedModel
  private let invocation: Invocation
  private let progress: ProgressLine
  private let stop = StopFlag()
  /// Of each file, what base and adapters see of it; made with the first.
  private var tokens: [EvaluationTokens] = []
  private var done = 0

  init(
    _ loaded: LoadedModel, packages: [String], _ sources: EvaluationSources,
    _ invocation: Invocation, hasBase: Bool
  ) throws {
    (self.loaded, self.sources, self.invocation) = (loaded, sources, invocation)
    (model, basePath) = (loaded.model, loaded.model.file.path)
    let shard = invocation.arguments.value(EvalCommand.shard)
    self.shard = shard
    ranges = sources.parts.map { part in
      shard?.range(of: part.examples.count) ?? part.examples.indices
    }
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
        let file = paths.count { $0 == paths[index] } == 1 ? paths[index] : pair.0
        return Subject(
          name: isAlone && !name.isEmpty ? name : file, package: pair.0, adapter: pair.1,
          records: none)
      }
    settings = Self.options(invocation.arguments)
    progress = ProgressLine("measuring", invocation.terminal)
  }

  /// What the line at `place` is answered with: a seed of its own, as lines that draw alike would be no sample of answers.
  func settings(at place: Int) -> SamplingOptions {
    var random = SplitMix64(
      seed: (settings.seed ?? 0) &+ UInt64(place) &* 0x9E37_79B9_7F4A_7C15)
    var options = settings
    options.seed = random.next()
    return options
  }

  private static func options(_ arguments: ParsedArguments) -> SamplingOptions {
    var options = AnswerOptions.sampling(arguments)
    options.seed = arguments.value(EvalCommand.seed) ?? 0
    return options
  }

  /// Takes what was measured elsewhere, or measures everything, or what there is time for until Ctrl-C comes.
  mutating func run() throws {
    let paths = invocation.arguments.values(EvalCommand.from)
    guard paths.isEmpty else {
      try take(EvaluationShard.read(paths))
      return isComplete = true
    }
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
      let all = subjects.count * examples.count(where: \.isAsked)
      invocation.terminal.note(
        "stopped after \(Figures.grouped(answered)) of \(Figures.count(all, "answer")), of all that are measured together"
      )
    }
  }

  /// Lines of the file at `part` on which every subject was measured.
  func measured(_ part: Int) -> Int { subjects.map { measured(part, by: $0) }.min() ?? 0 }

  /// Lines of the file at `part` on which `subject` was measured.
  func measured(_ part: Int, by subject: Subject) -> Int {
    let examples = sources.parts[part].examples
    guard !isComplete else { return ranges[part].count }
    return subject.records[part].count { record in
      guard !examples[record.index].isAsked else { return record.answer != nil }
      return record.loss != nil || !record.options.isEmpty
    }
  }

  /// What there is to do: an answer is taken for as long as the losses of so many lines.
  private static let answerCost = 8

  private var total: Int {
    let costs = examples.map { $0.isAsked ? 1 + Self.answerCost : 1 }
    return costs.reduce(0, +) * subjects.count
  }

  /// The lines of all files that are measured here.
  private var examples: [EvaluationExample] {
    zip(sources.parts, ranges).flatMap { part, range in part.examples[range] }
  }

  private func settings(of subject: Subject) throws -> AnswerSettings {
    let isFirst = subject.adapter?.contentHash == loaded.adapters.first?.contentHash
    var settings = try AnswerSettings(
      model, adapters: subject.adapter.map { [$0] } ?? [], costs: isFirst ? loaded.costs : nil,
      isBound: false, invocation.arguments, invocation.terminal)
    settings.options = self.settings
    return settings
  }

  private mutating func measure(_ index: Int) throws {
    let settings = try settings(of: subjects[index])
    if tokens.isEmpty {
      guard let chat = settings.form.renderer else { preconditionFailure("there is no --raw") }
      let renderer = ExampleRenderer(chat, tokenizer: settings.form.tokenizer)
      tokens = try zip(sources.parts, ranges).map { try EvaluationTokens($0, $1, renderer) }
      tellLong()
    }
    for (part, range) in ranges.enumerated() {
      var records = range.map { AnswerRecord(index: $0) }
      // What was measured stays, although the rest may not come.
      defer { subjects[index].records[part] = records }
      try measureLosses(&records, tokens[part], subjects[index])
      try answer(index, tokens[part], settings) { place, answer, tokens, isCut in
        let index = place - range.lowerBound
        records[index].answer = answer
        (records[index].tokens, records[index].isCut) = (tokens, isCut)
      }
    }
  }

  /// Says how many lines have tokens beyond the context, which no loss counts.
  private func tellLong() {
    let limit = model.configuration.contextLength
    let lines = tokens.reduce(0) { count, part in
      let options = part.options.filter { line in
        line.orders.contains { $0.contains { $0.tokens.count > limit } }
      }
      let wholes = part.wholes.filter { $0.tokens.tokens.count > limit }
      return count + Set(wholes.map(\.place) + options.map(\.place)).count
    }
    guard lines > 0 else { return }
    let what = lines == 1 ? "its loss is of its beginning" : "their losses are of their beginnings"
    invocation.terminal.warn(
      "\(Figures.count(lines, "line")) \(lines == 1 ? "is" : "are") longer than the context of "
        + "\(Figures.grouped(limit)) tokens: \(what) alone")
  }

  private mutating func measureLosses(
    _ records: inout [AnswerRecord], _ tokens: EvaluationTokens, _ subject: Subject
  ) throws {
    let meter = try LossMeter(
      model, adapter: subject.adapter, threads: invocation.arguments.value(ModelOptions.threads))
    let (before, all, first) = (done, total, records.first?.index ?? 0)
    let isCancelled = { [stop] in stop.isRaised || Task.isCancelled }
    _ = try meter.losses(of: tokens.wholes.map(\.tokens), isCancelled: isCancelled) { index, loss in
      records[tokens.wholes[index].place - first].loss = loss
      progress.update(done: before + index + 1, total: all, "losses of \(subject.name)")
    }
    let found = try meter.losses(
      of: tokens.options.flatMap { $0.orders.flatMap(\.self) }, isCancelled: isCancelled)
    var rest = found[...]
    for (place, orders) in tokens.options {
      records[place - first].options = orders.map { options in
        defer { rest = rest.dropFirst(options.count) }
        return Array(rest.prefix(options.count))
      }
    }
    done += records.count
  }

  /// A line that is being answered.
  private struct RunningPrompt {
    let place: Int
    /// Those of the answer, but for one token more: only with it is it known whether an answer that just fits ends there.
    let options: SamplingOptions
    let constraint: (any TokenConstraint)?
    /// Whether calls are read that nothing keeps to the tools.
    let isFree: Bool
    /// Tokens of the answer at most.
    let limit: Int
    var chat: ChatTurn
    var tokens: [Token] = []

    init(
      _ prompt: EvaluationTokens.Prompt, _ settings: AnswerSettings, _ options: SamplingOptions
    ) {
      (place, constraint) = (prompt.place, prompt.constraint)
      limit = options.maximumTokens
      var options = options
      options.maximumTokens += 1
      self.options = options
      isFree = prompt.offering != nil && constraint == nil
      var form = settings.form
      (form.offering, form.endsLoops) = (prompt.offering, false)
      chat = ChatTurn(form, [], prompt: prompt.tokens)
    }
  }

  private mutating func answer(
    _ index: Int, _ part: EvaluationTokens, _ settings: AnswerSettings,
    note: (_ place: Int, _ answer: String, _ tokens: Int, _ isCut: Bool) -> Void
  ) throws {
    let (limit, prompts) = (model.configuration.contextLength, part.prompts)
    let longest = prompts.map(\.tokens.count).filter { $0 < limit }.max() ?? 1
    let room = min(limit, longest + settings.options.maximumTokens + 1)
    for prompt in prompts where prompt.tokens.count >= limit { note(prompt.place, "", 0, true) }
    let tooLong = prompts.count { $0.tokens.count >= limit }
    if tooLong > 0 {
      invocation.terminal.warn(
        "\(Figures.count(tooLong, "prompt")) without room for an answer, which count as wrong")
    }
    var waiting = prompts.filter { $0.tokens.count < limit }[...]
    let (adapters, arguments) = (subjects[index].adapter.map { [$0] } ?? [], invocation.arguments)
    let threads = arguments.value(ModelOptions.threads)
    let invocationNote = InvocationNote(invocation.terminal)
    let pool = CachePool(model, format: arguments.value(ModelOptions.cache))
    let scheduler = Scheduler(
      model, width: arguments.value(EvalCommand.batch) ?? 8, threads: threads)
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
    try scheduler.run(
      next: { waiting.popFirst().map { RunningPrompt($0, settings, self.settings(at: $0.place)) } },
      begin: { [model] turn in
        let session = try ModelSession(
          model, adapters: adapters, contextLength: room, pool: pool, threads: threads)
        return try invocationNote.noting(
          settings.generator(
            turn.chat.prompt, on: session, constraint: turn.constraint, options: turn.options))
      },
      isCancelled: { [stop] in stop.isRaised || Task.isCancelled },
      eachToken: { turn, token in
        guard turn.tokens.count < turn.limit else { return }
        _ = turn.chat.append(token)
        turn.tokens.append(token)
        tokens += 1
      },
      ended: { turn, generator in
        if let failure = generator.failure { throw failure }
        let isCut = generator.statistics.finish != .stopToken
        note(turn.place, Self.text(turn, settings), turn.tokens.count, isCut)
        answered += 1
        let rate = Double(tokens) / max(begin.duration(to: .now).inSeconds, 1e-3)
        progress.update(
          done: before + Self.answerCost * answered, total: all,
          "\(name): \(Figures.grouped(answered)) of \(Figures.count(prompts.count, "answer"))",
          "\(Figures.fixed(rate, 1)) tokens/s")
      })
  }

  /// The answer as it is judged: calls of tools in Apple's form, or else its text without thoughts.
  private static func text(_ turn: RunningPrompt, _ settings: AnswerSettings) -> String {
    var chat = turn.chat
    _ = chat.finish()
    // A call of something else is shown as it came.
    if turn.isFree, chat.answer.isCutCall {
      return settings.form.tokenizer.decode(turn.tokens, special: true)
    }
    let called = chat.answer.called
    guard !called.isEmpty else { return chat.text }
    return AnswerRule.callText(
      .array(
        called.map { call in
          .object(["name": .string(call.name), "arguments": call.arguments])
        }))
  }
}
