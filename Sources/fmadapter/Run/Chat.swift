import Adapters
import ChatTemplates
import Chats
import FoundationEssentials
import JSON
import LanguageModels
import SystemFiles

/// A chat of `run`: what is typed is answered or obeyed, until the person leaves.
final class Chat {
  private let conversation: Conversation
  private var loaded: LoadedModel
  private let invocation: Invocation
  private var terminal: Terminal { invocation.terminal }
  private var hasForgotten = false
  /// Where the conversation is kept, which may be written over.
  private var file: String?
  /// What the last answer was drawn with; nil where nothing was drawn.
  private var lastSeed: UInt64?
  /// The last message, where no answer to it is in the talk.
  private var unanswered: String?

  init(_ conversation: Conversation, _ loaded: LoadedModel, _ invocation: Invocation) {
    (self.conversation, self.loaded, self.invocation) = (conversation, loaded, invocation)
    conversation.isChat = true
  }

  /// Answers until the person leaves; Ctrl-C ends an answer only.
  func run() async throws {
    try await ChatLoop(terminal: terminal, commands: commands, answer: answer).run()
  }

  private var commands: [ChatCommand] {
    [
      ChatCommand(name: "/reset", help: "forget the conversation") { [self] _ in reset() },
      ChatCommand(name: "/retry", help: "answer the last message again") { [self] _ in
        try retry()
      },
      ChatCommand(
        name: "/set", operands: "NAME VALUE", help: "change an option of run; alone it shows all"
      ) { [self] in try set($0) },
      ChatCommand(
        name: "/adapter", operands: "NAME", help: "go on with another adapter, or with none"
      ) { [self] in try await adapter($0) },
      ChatCommand(name: "/save", operands: "FILE", help: "keep the conversation in a file") {
        [self] in try save($0)
      },
      ChatCommand(name: "/load", operands: "FILE", help: "go on with a conversation in a file") {
        [self] in try load($0)
      },
    ]
  }

  private func answer(_ message: String) throws {
    unanswered = message
    do {
      try reply(to: message)
      unanswered = nil
    } catch BaseModelError.contextExceeded(let limit, let needed) {
      throw ContextNeed(
        needed: needed, limit: limit, instructions: conversation.instructionTokens,
        isAlone: conversation.messages.isEmpty || conversation.settings.contextRule != nil
      ).failure
    }
  }

  private func reply(to message: String) throws {
    let stopped = StopFlag()
    let asJSON = invocation.arguments.has(RunCommand.json)
    let answer = try Interruption.shared.handling(stopped.raise) {
      try asJSON
        ? conversation.answer(message, isStopped: { stopped.isRaised }, forget: forget) { _ in }
        : conversation.answer(
          message, to: terminal, isStopped: { stopped.isRaised }, forget: forget)
    }
    if asJSON { return try terminal.printJSONLine(answer) }
    lastSeed = answer.temperature > 0 ? answer.seed.value : nil
    if answer.finish != .stop { terminal.note(Line("(\(answer.summary))", .dim)) }
    answer.hint(inChat: true).map(terminal.note)
  }

  /// Says once that something was forgotten.
  private func forget(_ forgotten: Conversation.Forgotten) {
    defer { hasForgotten = true }
    guard !hasForgotten else { return }
    if case .keepLast(let count) = conversation.settings.contextRule {
      let kept = Figures.count(count, "turn")
      return terminal.note("What was said before the last \(kept) is forgotten from now on.")
    }
    terminal.note(
      forgotten.isSummed
        ? "The context is full: the oldest messages are summed up from now on, or all forgotten by /reset."
        : "The context is full: the oldest messages are forgotten from now on, or all by /reset.")
  }

  private func reset() {
    conversation.reset()
    (hasForgotten, unanswered) = (false, nil)
    terminal.note("The conversation is forgotten.")
  }

  private func retry() throws {
    if let unanswered { return try answer(unanswered) }
    let before = conversation.messages
    guard let message = conversation.takeBack() else {
      return terminal.reply("There is nothing to answer again.")
    }
    let options = conversation.settings.options
    if options.temperature == 0 {
      terminal.note("The likeliest words are taken; /set temperature 0.8 varies them.")
    } else if let seed = options.seed {
      // The same one would give the same text.
      conversation.settings.options.seed = seed &+ 1
      terminal.note("The seed is \(seed &+ 1) now.")
    }
    do {
      try answer(message)
    } catch {
      // The answer that was there is the last one again.
      conversation.replace(before)
      unanswered = nil
      throw error
    }
  }
}

// What a chat is held with.
extension Chat {
  private func set(_ rest: String) throws {
    let name = String(rest.prefix { !$0.isWhitespace })
    let value = String(rest.dropFirst(name.count)).trimmed
    guard !name.isEmpty else { return showSettings(ChatSetting.all) }
    guard let setting = ChatSetting.all.first(where: { $0.name == name }) else {
      let names = ChatSetting.all.map(\.name).joined(separator: ", ")
      throw Failure(.usage, "there is no setting '\(name)'\(remedy: "there are \(names)")")
    }
    guard !value.isEmpty else { return showSettings([setting]) }
    var settings = conversation.settings
    guard setting.read(value, &settings) else {
      throw Failure(.usage, "\(name) takes \(setting.expectation), not '\(value)'")
    }
    conversation.settings = settings
    hasForgotten = false
    showSettings([setting])
  }

  private func showSettings(_ settings: [ChatSetting]) {
    for setting in settings {
      let isSeed = setting.name == ChatSetting.seed
      let last = isSeed ? lastSeed.map { "; the last answer had \($0)" } ?? "" : ""
      terminal.reply("  \(setting.name) \(setting.shown(conversation.settings))\(last)")
    }
  }

  private func adapter(_ rest: String) async throws {
    guard !rest.isEmpty else {
      let names = loaded.adapters.map(\.identifier).joined(separator: ", ")
      return terminal.reply(names.isEmpty ? "The base answers alone." : "\(names) is applied.")
    }
    let other = try await Library(terminal).load(rest == "none" ? nil : rest, on: loaded)
    let old = conversation.settings
    var settings = try AnswerSettings(
      other.model, adapters: other.adapters, costs: other.costs, tools: old.tools,
      invocation.arguments, terminal)
    // What was set stays; the rest is as the other states it.
    (settings.options, settings.asked) = (old.options, old.asked)
    settings.opening = old.opening
    settings.contextRule = old.contextRule
    try settings.takeCalls(of: conversation.messages)
    try conversation.use(other.adapters, settings)
    loaded = other
    settings.tellStated(other.adapters, terminal)
    try await adapter("")
  }
}

// Chats in files: a list of messages on one line, as data sets, `--input` and `render` know it.
extension Chat {
  private func path(_ text: String, of command: String) throws -> String {
    guard !text.isEmpty else {
      throw Failure(
        .usage, "a file is missing\(remedy: "name one, as in \(command) chat.json")")
    }
    guard text.hasPrefix("~/"), let home = terminal.environment["HOME"] else { return text }
    return FilePath.join(home, String(text.dropFirst(2)))
  }

  private func save(_ rest: String) throws {
    guard terminal.inputIsTerminal else {
      throw Failure(
        .usage,
        "/save is for who types: what comes through a pipe writes no files"
          + "\(remedy: "leave the line out, or keep the answers of --json")")
    }
    let path = try path(rest.isEmpty ? file ?? "" : rest, of: "/save")
    let kind = FileSystem.kind(of: path)
    guard kind != .directory else {
      throw Failure(.usage, "\(path) is a folder\(remedy: "name a file in it")")
    }
    guard path == file || kind == nil else {
      throw Failure(
        .usage, "\(path) exists already\(remedy: "name another file, or remove that one first")")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let messages = conversation.settings.opening + conversation.messages
    try AtomicFile.write([UInt8](try encoder.encode(messages)) + [0x0A], to: path)
    file = path
    terminal.note("\(Figures.count(messages.count, "message")) in \(path).")
  }

  private func load(_ rest: String) throws {
    let path = try path(rest, of: "/load")
    let chat = try ChatFile(path: path).messages
    var calls = LoadedCalls()
    var messages = try chat.enumerated().map { index, json in
      guard
        let message = try? JSONDecoder().decode(
          ChatMessage.self, from: Data(calls.complete(json).line.utf8))
      else {
        throw Failure(
          .invalid,
          "\(path): message \(index + 1) is no object with a role (system, user, assistant or tool) and a text called content, "
            + "or has a call without name and arguments")
      }
      return message
    }
    let whole = messages.count
    while messages.last.map({ $0.role != .assistant || !$0.toolCalls.isEmpty }) ?? false {
      messages.removeLast()
    }
    let opening = Array(messages.prefix { $0.role == .system })
    let said = Array(messages.dropFirst(opening.count))
    var settings = conversation.settings
    settings.opening = opening
    do throws(ChatDefect) {
      try settings.takeCalls(of: said)
      if !said.isEmpty {
        _ = try settings.form.renderer?.prompt(
          opening + said + [ChatMessage(role: .user, content: "?")])
      }
    } catch {
      throw Failure(.invalid, "\(path): \(error)")
    }
    conversation.settings = settings
    conversation.replace(said)
    (file, hasForgotten, unanswered) = (path, false, nil)
    terminal.note("\(Figures.count(messages.count, "message")) from \(path).")
    if messages.count < whole {
      terminal.note("What has no answer there is left out: type it again.")
    }
  }
}

/// What a message needs of the context, where that is more than there is.
struct ContextNeed {
  let needed: Int
  let limit: Int
  /// What the instructions need of it.
  let instructions: Int
  /// Whether nothing that was said before is counted: there is nothing, or all of it would go.
  let isAlone: Bool

  /// What helps in a chat, which depends on what takes the room.
  var failure: Failure {
    let whole = Figures.count(needed, "token")
    let room = "\(whole) of a context of \(Figures.grouped(limit))"
    if 2 * instructions > needed {
      return Failure(
        .usage,
        "instructions and message need \(room), the instructions \(Figures.grouped(instructions)) of them"
          + "\(remedy: "shorten those with /set instructions")")
    }
    guard !isAlone else {
      return Failure(.usage, "the message needs \(room)\(remedy: "shorten it")")
    }
    return Failure(
      .usage,
      "the message needs \(room), with what was said before"
        + "\(remedy: "shorten it, or start anew with /reset")")
  }
}

/// An option of `run` that may change in a chat.
struct ChatSetting {
  let name: String
  let expectation: String
  let shown: (AnswerSettings) -> String
  /// Takes a value over; false for one that is none.
  let read: (String, inout AnswerSettings) -> Bool

  private init<Value>(
    _ option: Option<Value>, _ shown: @escaping (AnswerSettings) -> String,
    _ take: @escaping (Value, inout AnswerSettings) -> Void
  ) {
    name = String(option.name.dropFirst(2))
    expectation = option.type.expectation
    self.shown = shown
    read = { text, settings in
      guard let value = option.type.read(text) else { return false }
      take(value, &settings)
      return true
    }
  }

  private init(
    _ option: Option<Float>, _ value: SamplingSettings.Value,
    _ path: KeyPath<SamplingOptions, Double>
  ) {
    // As typed: 0.8 is none of the numbers that a computer has.
    self.init(option, { "\(Float($0.options[keyPath: path]))" }) { $1.asked[value] = Double($0) }
  }

  /// Of the seed, the name.
  static let seed = String(AnswerOptions.seed.name.dropFirst(2))

  static var all: [ChatSetting] {
    [
      ChatSetting(AnswerOptions.instructions, { $0.opening.first?.content ?? "none" }) {
        $1.opening = $0 == "none" ? [] : [ChatMessage(role: .system, content: $0)]
      },
      ChatSetting(AnswerOptions.temperature, .temperature, \.temperature),
      ChatSetting(AnswerOptions.topK, { "\($0.options.topK)" }) { $1.asked[.topK] = Double($0) },
      ChatSetting(AnswerOptions.topP, .topP, \.topP),
      ChatSetting(AnswerOptions.minP, .minP, \.minP),
      ChatSetting(AnswerOptions.repetitionPenalty, .repetitionPenalty, \.repetitionPenalty),
      ChatSetting(
        AnswerOptions.seed, { $0.options.seed.map { "\($0)" } ?? "another one each time" },
        { $1.options.seed = $0 }),
      ChatSetting(
        AnswerOptions.maximumTokens, { "\($0.options.maximumTokens)" },
        { $1.options.maximumTokens = $0 }),
      ChatSetting(
        AnswerOptions.contextPolicy, { ContextChoice($0.contextRule).text },
        { $1.contextRule = $0.rule }),
    ]
  }
}
