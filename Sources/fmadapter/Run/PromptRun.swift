import AdapterTraining
import ChatTemplates
import Chats
import JSON
import LanguageModels
import SystemFiles
import Tokenization

/// Answers to all prompts of a file; a few of them decode at once, and the next begins where one has ended.
///
/// Each is the answer that its prompt alone would get. Where a model may call tools, a prompt goes on in its place once they have run, for which
/// the others wait.
struct PromptRun {
  static let input = Option(
    "--input", .file,
    "Answer each prompt of this file, or of standard input with -: a JSON object with prompt or messages on each line"
  )
  private static let output = Option(
    "--output", short: "-o", .file, "Where the answers go (default: standard output)")
  private static let batch = Option(
    "--batch", .integer(1...64), "Prompts of --input that are answered at once (default: 8)")
  private static let resume = Flag("--resume", "Go on where the file of --output ends")
  private static let force = Flag("--force", "Replace the file of --output")
  private static let shard = Option(
    "--shard", .shard,
    "Answer this part of the prompts of --input alone, such as 1/4; 'merge-answers' joins all of them"
  )

  static let options: [any OptionDeclaration] = [input, output, batch, resume, force, shard]

  /// - Throws: `UsageError` for a line that says more than its file of prompts, or how to answer without naming one.
  static func check(_ invocation: Invocation, hasPrompt: Bool) throws {
    let arguments = invocation.arguments
    guard arguments.has(input) else {
      guard let stray = options.first(where: arguments.has) else { return }
      throw invocation.conflict("\(stray.name) is for --input")
    }
    if hasPrompt { throw invocation.conflict("--input and a prompt exclude each other") }
    try invocation.exclude(input, RunCommand.compare)
    try invocation.exclude(input, RunCommand.raw)
    if arguments.has(resume), !arguments.has(output) {
      throw invocation.conflict("--resume needs --output: there is no file to go on with")
    }
  }

  private let loaded: LoadedModel
  private let settings: AnswerSettings
  private let arguments: ParsedArguments
  private let terminal: Terminal

  init(_ loaded: LoadedModel, _ settings: AnswerSettings, _ invocation: Invocation) {
    (self.loaded, self.settings) = (loaded, settings)
    (arguments, terminal) = (invocation.arguments, invocation.terminal)
  }

  /// Answers all prompts of `file`, or of the shard that is asked for, that the output does not have yet.
  func answerAll(in file: PromptFile) throws -> ExitCode {
    var file = file
    if let shard = arguments.value(Self.shard) { file.keep(shard) }
    let path = arguments.value(Self.output)
    if let names = file.unread.text("line") {
      terminal.note("\(file.path): not read: \(names)")
    }
    if !settings.tools.isEmpty, file.prompts.contains(where: { $0.chat?.tools.isEmpty == false }) {
      terminal.note("\(file.path): the tools of --tool stand in for those of its lines")
    }
    if file.isStream, arguments.has(Self.resume) {
      throw Failure(
        .usage,
        "a pipe is read once, so --resume cannot go on with it"
          + "\(remedy: "keep the prompts in a file for --input")")
    }
    let answers = try AnswerFile(
      path: path, for: file, RunRecord(loaded, settings, arguments),
      goesOn: arguments.has(Self.resume),
      replaces: arguments.has(Self.force), terminal)
    let questions = try file.prompts.enumerated().dropFirst(answers.count).map { index, prompt in
      try question(prompt, at: index, line: file.first + index + 1)
    }
    do {
      try answer(questions, to: answers)
    } catch BaseModelError.cancelled where answers.isKept {
      let more = file.isStream ? "" : "; --resume goes on behind them"
      terminal.note("\(Figures.count(answers.count, "answer")) written\(more)")
      throw BaseModelError.cancelled
    }
    guard answers.failed > 0 else { return .done }
    throw Failure(
      .invalid,
      "\(Figures.count(answers.failed, "prompt")) of \(Figures.grouped(questions.count)) got no whole answer"
        + "\(remedy: "their lines say why, under error")")
  }

  private struct Question {
    let index: Int
    let object: JSONObject
    let messages: [ChatMessage]
    let tokens: [Token]
  }

  private func question(
    _ prompt: PromptFile.Prompt, at index: Int, line: Int
  ) throws -> Question {
    guard let renderer = settings.form.renderer else {
      preconditionFailure("--input takes no --raw")
    }
    let opening = prompt.messages.first?.role == .system ? [] : settings.opening
    let messages = opening + prompt.messages
    var tokens: [Token]?
    // Tools of the command line stand in for those of the lines.
    if var chat = prompt.chat, settings.tools.isEmpty {
      chat.messages = opening.map { TrainingMessage($0.role, $0.content) } + chat.messages
      tokens = try ExampleRenderer(renderer, tokenizer: settings.form.tokenizer)
        .prompt(chat, line: line)
    }
    return Question(
      index: index, object: prompt.object, messages: messages,
      tokens: try tokens ?? renderer.prompt(messages))
  }

  private func answer(_ questions: [Question], to answers: AnswerFile) throws {
    let limit = loaded.model.configuration.contextLength
    let longest = questions.map(\.tokens.count).filter { $0 < limit }.max() ?? 1
    var room = longest + settings.options.maximumTokens
    // Nobody knows what tools will say.
    if !settings.tools.isEmpty { room = max(2 * room, 16_384) }
    room = min(limit, room)
    var waiting = questions[...]
    /// A turn whose tools have run, to be gone on with in its own place.
    var going: RunningPrompt?
    /// The next question with room for an answer; those without get an error.
    func next() throws -> Question? {
      while let question = waiting.popFirst() {
        guard question.tokens.count >= room else { return question }
        try fail(question, answers, .contextExceeded(limit: limit, needed: question.tokens.count))
      }
      return nil
    }
    let (progress, note) = (ProgressLine("answers", terminal), InvocationNote(terminal))
    defer { progress.finish() }
    let (clock, total) = (ContinuousClock(), questions.last.map { $0.index + 1 } ?? 0)
    let begin = clock.now
    var tokens = 0
    func rate() -> String {
      let seconds = max(begin.duration(to: clock.now).inSeconds, 1e-3)
      return "\(Figures.fixed(Double(tokens) / seconds, 1)) tokens/s"
    }
    let pool = CachePool(loaded.model, format: arguments.value(ModelOptions.cache))
    let scheduler = Scheduler(
      loaded.model, width: arguments.value(Self.batch) ?? 8,
      threads: arguments.value(ModelOptions.threads))
    try scheduler.run(
      next: {
        defer { going = nil }
        return try going ?? next().map { RunningPrompt($0, settings) }
      },
      begin: { turn in
        let session = try turn.session ?? session(room, pool)
        return try note.noting(turn.generator(on: session, settings))
      },
      eachToken: { turn, token in
        turn.append(token)
        tokens += 1
      },
      isOver: { $0.chat.isLooping },
      ended: { turn, generator in
        var turn = turn
        if let failure = generator.failure { return try fail(turn.question, answers, failure) }
        turn.finish(generator)
        if try call(&turn, room, progress) { return going = turn }
        try answers.write(
          turn.question.object, turn.answer(settings), at: turn.question.index)
        progress.update(done: answers.count, total: total, rate())
      })
    progress.finish()
    let whole = questions.count - answers.failed
    let sum = "\(Figures.count(whole, "answer")), \(Figures.count(tokens, "token"))"
    terminal.note(Line("\(sum), \(rate())", .dim))
  }

  /// Writes an error in the place of an answer: the others go on.
  private func fail(
    _ question: Question, _ answers: AnswerFile, _ error: BaseModelError
  ) throws {
    try answers.write(
      question.object, ["error": .string(error.inCommand.description)], at: question.index)
  }

  private func session(_ room: Int, _ pool: CachePool) throws -> ModelSession {
    try ModelSession(
      loaded.model, adapters: loaded.adapters, contextLength: room, pool: pool,
      threads: arguments.value(ModelOptions.threads))
  }

  /// Runs what `turn` has called; false where it ends here.
  private func call(_ turn: inout RunningPrompt, _ room: Int, _ progress: ProgressLine) throws
    -> Bool
  {
    guard !turn.calls.isEmpty else { return false }
    let asks = !arguments.has(ToolOptions.yes)
    if asks { progress.finish() }
    do {
      let runs = try settings.tools.run(
        turn.calls, asks: asks, isSilent: !asks, terminal, isStopped: { Task.isCancelled })
      return try turn.goOn(runs, room)
    } catch is CancellationError {
      throw BaseModelError.cancelled
    }
  }

  /// A question that is being answered.
  private struct RunningPrompt {
    let question: Question
    /// Those of the line, with a seed that all rounds share.
    private let options: SamplingOptions
    private(set) var chat: ChatTurn
    /// What has seen all of it so far; nil before there was anything to see.
    private(set) var session: ModelSession?
    private var runs: [ToolProgram.Run] = []
    private var end: GenerationStatistics.Finish?
    private var generated = 0
    private var isFull = false

    init(_ question: Question, _ settings: AnswerSettings) {
      (self.question, options) = (question, settings.options.seeded)
      chat = ChatTurn(settings.form, question.messages, prompt: question.tokens)
    }

    /// What is to be run before the answer goes on.
    var calls: [ChatToolCall] { isFull ? [] : chat.calls }

    func generator(
      on session: ModelSession, _ settings: AnswerSettings
    ) throws -> TokenGenerator {
      try settings.generator(
        chat.prompt, on: session, constraint: chat.checkedConstraint(), options: options)
    }

    mutating func append(_ token: Token) { _ = chat.append(token) }

    /// Takes note that nothing more comes for now.
    mutating func finish(_ generator: TokenGenerator) {
      _ = chat.finish()
      session = generator.session
      end = generator.statistics.finish
      generated += generator.statistics.generatedTokens
    }

    /// Goes on behind what tools have put out; false where there is no room for more.
    mutating func goOn(_ results: [ToolProgram.Run], _ room: Int) throws -> Bool {
      runs += results
      try chat.goOn(with: results.map(\.output))
      isFull = chat.prompt.count >= room
      return !isFull
    }

    /// What the answer adds to the line.
    func answer(_ settings: AnswerSettings) -> JSONObject {
      var object: JSONObject = [
        "answer": .string(isFull ? "" : chat.text),
        "finish": .text(chat.isLooping ? Answer.Finish.loop.rawValue : end?.rawValue),
        "promptTokens": .integer(question.tokens.count), "generatedTokens": .integer(generated),
        "temperature": .decimal(Float(options.temperature).asWritten),
      ]
      // The likeliest tokens need none, and the same line gives the same row.
      if options.temperature > 0 { object["seed"] = options.seed.map(JSONValue.seed) }
      let thoughts = chat.answer.thought
      if !thoughts.isEmpty { object["thoughts"] = .string(thoughts) }
      if !settings.tools.isEmpty { object["toolCalls"] = .array(runs.map(\.json)) }
      object["toolsEnded"] = .text(chat.rounds.end?.rawValue)
      if isFull {
        object["error"] = .string("what the tools put out leaves no room for an answer")
      } else if let defect = chat.defect(isFull: false) {
        object["error"] = .string(defect.text.problem)
      } else if settings.form.constraint != nil, end != .stopToken {
        object["error"] = .string("the answer was cut before its JSON was whole")
      }
      return object
    }
  }
}

extension ToolProgram.Run {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name), "arguments": arguments, "output": .string(output),
      "status": .whole(status.map(Int.init)),
    ])
  }
}
