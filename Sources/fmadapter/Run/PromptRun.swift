import Adapters
import ChatTemplates
import LanguageModels
import TensorFiles
import Tokenization

/// Answers to all prompts of a file; a few of them decode at once, and the next begins where one has ended.
///
/// Each is the answer that its prompt alone would get.
struct PromptRun {
  static let input = Option(
    "--input", .file,
    "Answer each prompt of this file: a JSON object with prompt or messages on each line")
  private static let output = Option(
    "--output", short: "-o", .file, "Where the answers go; standard output unless given")
  private static let batch = Option(
    "--batch", .integer(1...64), "Prompts of --input that are answered at once; 8 unless given")
  private static let resume = Flag("--resume", "Go on where the file of --output ends")
  private static let force = Flag("--force", "Replace the file of --output")

  static let options: [any OptionDeclaration] = [input, output, batch, resume, force]

  /// - Throws: `UsageError` for a line that says more than its file of prompts, or how to answer without naming one.
  static func check(_ invocation: Invocation, hasPrompt: Bool) throws {
    let arguments = invocation.arguments
    guard arguments.value(input) != nil else {
      let stray =
        arguments.value(output) != nil
        ? output.name : arguments.value(batch) != nil ? batch.name : nil
      let flag = [resume, force].first { arguments.has($0) }?.name
      if let name = stray ?? flag { throw invocation.conflict("\(name) is for --input") }
      return
    }
    if hasPrompt { throw invocation.conflict("--input and a prompt exclude each other") }
    for flag in [RunCommand.compare, RunCommand.raw] where arguments.has(flag) {
      throw invocation.conflict("--input and \(flag.name) exclude each other")
    }
    if arguments.has(resume), arguments.value(output) == nil {
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

  /// Answers all prompts of `file` that the output does not have yet.
  func answerAll(in file: PromptFile) throws -> ExitCode {
    let path = arguments.value(Self.output)
    let answers = try AnswerFile(
      path: path, goesOn: arguments.has(Self.resume), replaces: arguments.has(Self.force), terminal)
    guard answers.count <= file.prompts.count else {
      throw Failure(
        .invalid,
        "\(path ?? "") has \(Figures.count(answers.count, "line")), more than \(file.path) has prompts"
          + "\(remedy: "name the file that belongs to these prompts, or replace it by --force")")
    }
    let questions = try file.prompts.enumerated().dropFirst(answers.count).map { index, prompt in
      Question(index: index, object: prompt.object, tokens: try tokens(of: prompt))
    }
    do {
      try answer(questions, to: answers)
    } catch LanguageModelError.cancelled where path != nil {
      terminal.note(
        "\(Figures.count(answers.count, "answer")) written; --resume goes on behind them")
      throw LanguageModelError.cancelled
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
    let tokens: [Token]
  }

  private func tokens(of prompt: PromptFile.Prompt) throws -> [Token] {
    guard let renderer = settings.renderer else { preconditionFailure("--input takes no --raw") }
    let opening = prompt.messages.first?.role == .system ? [] : settings.opening
    return try renderer.prompt(opening + prompt.messages)
  }

  private func answer(_ questions: [Question], to answers: AnswerFile) throws {
    let limit = loaded.model.configuration.contextLength
    let longest = questions.map(\.tokens.count).filter { $0 < limit }.max() ?? 1
    let room = min(limit, longest + settings.options.maximumTokens)
    var waiting = questions[...]
    /// The next question with room for an answer; those without get an error.
    func next() throws -> Question? {
      while let question = waiting.popFirst() {
        guard question.tokens.count >= room else { return question }
        let error = LanguageModelError.contextExceeded(limit: limit, needed: question.tokens.count)
        try answers.write(question.object, ["error": .string("\(error)")], at: question.index)
      }
      return nil
    }
    let progress = ProgressLine("answers", terminal)
    defer { progress.finish() }
    let (clock, total) = (ContinuousClock(), questions.last.map { $0.index + 1 } ?? 0)
    let begin = clock.now
    var tokens = 0
    func rate() -> String {
      let seconds = max(begin.duration(to: clock.now).inSeconds, 1e-3)
      return "\(Figures.fixed(Double(tokens) / seconds, 1)) tokens/s"
    }
    let queue = GenerationQueue(width: arguments.value(Self.batch) ?? 8) { try session(room) }
    try queue.run(
      next: { try next().map { Turn($0, settings) } },
      begin: { turn, session in try turn.generator(on: session, settings) },
      eachToken: { turn, token in
        turn.append(token)
        tokens += 1
      },
      ended: { turn, generator in
        try answers.write(
          turn.question.object, turn.answer(generator.statistics), at: turn.question.index)
        progress.update(done: answers.count, total: total, rate())
      })
    progress.finish()
    let sum = "\(Figures.count(questions.count, "answer")), \(Figures.count(tokens, "token"))"
    terminal.note(Line("\(sum), \(rate())", .dim))
  }

  private func session(_ room: Int) throws -> ModelSession {
    try ModelSession(
      loaded.model, adapters: loaded.adapters, contextLength: room,
      cache: arguments.value(ModelOptions.cache), threads: arguments.value(ModelOptions.threads))
  }

  /// A question that is being answered.
  private struct Turn {
    let question: Question
    private var decoder: AnswerDecoder
    /// Whether an answer that was cut is none.
    private let mustBeWhole: Bool

    init(_ question: Question, _ settings: AnswerSettings) {
      self.question = question
      decoder = settings.decoder(after: question.tokens)
      mustBeWhole = settings.constraint != nil
    }

    func generator(
      on session: ModelSession, _ settings: AnswerSettings
    ) throws -> TokenGenerator {
      try settings.generator(question.tokens, on: session, constraint: settings.constraint)
    }

    mutating func append(_ token: Token) { _ = decoder.append(token) }

    /// What the answer adds to the line.
    func answer(_ statistics: GenerationStatistics) -> JSONObject {
      var decoder = decoder
      _ = decoder.finish()
      var object: JSONObject = [
        "answer": .string(decoder.answer), "finish": .text(statistics.finish?.rawValue),
        "promptTokens": .integer(question.tokens.count),
        "generatedTokens": .integer(statistics.generatedTokens),
      ]
      if !decoder.thought.isEmpty { object["thoughts"] = .string(decoder.thought) }
      if mustBeWhole, statistics.finish != .stopToken {
        object["error"] = .string("the answer was cut before its JSON was whole")
      }
      return object
    }
  }
}
