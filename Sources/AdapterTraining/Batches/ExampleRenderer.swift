public import ChatTemplates
import JSON
public import Tokenization

/// Turns examples into the tokens that inference would see, and marks what is to be learnt.
public struct ExampleRenderer: Sendable {
  let chat: ChatRenderer
  let tokenizer: Tokenizer

  /// Renders chats by `chat` and texts by `tokenizer`.
  public init(_ chat: ChatRenderer, tokenizer: Tokenizer) {
    self.chat = chat
    self.tokenizer = tokenizer
  }

  /// The tokens of an example.
  ///
  /// In a chat the answers are learnt that are not said to have no weight, each with the mark that
  /// ends it. In a text everything is but its first token, which nothing foretells; it is encoded
  /// as a prompt that its author has marked up, and the end token of the vocabulary follows. Of a
  /// pair each side is a chat by itself, in which the last answer alone counts.
  ///
  /// - Throws: `DataSetError.rendering` when the chat format has no place for a part of the example.
  public func render(_ example: TrainingExample) throws(DataSetError) -> TokenizedExample {
    let chosen = try renderSide(example)
    guard let mirrored = example.mirrored else { return chosen }
    return TokenizedExample(
      chosen: chosen.answeringLast, rejected: try renderSide(mirrored).answeringLast)
  }

  /// All tokens before an answer to `chat`, which stands on `line`, as training has them.
  package func prompt(_ chat: AskedChat, line: Int) throws(DataSetError) -> [Token] {
    // What is answered changes nothing of what stands before it.
    let messages = chat.messages + [TrainingMessage(.assistant, "-")]
    return try asked(TrainingExample(.chat(messages, tools: chat.tools), line: line))
  }

  /// The tokens that an answer's turn begins with; empty where the chat format writes nothing there.
  package var answerOpening: [Token] { chat.answerOpening }

  /// All tokens before the last answer.
  func asked(_ example: TrainingExample) throws(DataSetError) -> [Token] {
    let whole = try render(example)
    return Array(whole.tokens[..<(whole.trained.last?.lowerBound ?? 0)])
  }

  /// The most tokens that ``render(_:)`` can have for an example, or for the longer side of a pair, in a fraction of its time.
  ///
  /// - Throws: What that does.
  func mostTokens(_ example: TrainingExample) throws(DataSetError) -> Int {
    let chosen = try mostTokensOfSide(example)
    guard let mirrored = example.mirrored else { return chosen }
    return max(chosen, try mostTokensOfSide(mirrored))
  }

  private func mostTokensOfSide(_ example: TrainingExample) throws(DataSetError) -> Int {
    switch example.content {
    case .text(let text): return tokenizer.mostTokens(ofBytes: text.utf8.count)
    case .chat(let messages, let tools):
      do throws(ChatDefect) {
        return try chat.mostTokens(messages.map(\.said), tools: tools)
      } catch {
        throw .rendering(error, line: example.line)
      }
    }
  }

  private func renderSide(_ example: TrainingExample) throws(DataSetError) -> TokenizedExample {
    switch example.content {
    case .text(let text): return render(text, example.line)
    case .chat(let messages, let tools):
      do throws(ChatDefect) {
        let transcript = try chat.transcript(messages.map(\.said), tools: tools)
        let answers = messages.filter { $0.role == .assistant }
        // Of a pair the last answer counts, whatever its weight.
        let trained = zip(transcript.spoken, answers).filter {
          $0.1.isLearnt || example.rejected != nil
        }
        return TokenizedExample(
          line: example.line, tokens: transcript.tokens, trained: trained.map(\.0))
      } catch {
        throw .rendering(error, line: example.line)
      }
    }
  }

  private func render(_ text: String, _ line: Int) -> TokenizedExample {
    var tokens = tokenizer.encode(text, special: true)
    if let end = tokenizer.endToken, tokens.last != end { tokens.append(end) }
    return TokenizedExample(
      line: line, tokens: tokens, trained: tokens.count > 1 ? [1..<tokens.count] : [])
  }

  /// What the template leaves out of the answers of an example that are learnt, by the messages.
  ///
  /// - Throws: What ``render(_:)`` does.
  func omissions(
    of example: TrainingExample
  ) throws(DataSetError) -> [ChatTranscript.Omission] {
    guard case .chat(let messages, let tools) = example.content else { return [] }
    // Any other answer is learnt as it is, or is not rendered at all.
    let some = messages.indices.filter { index in
      let message = messages[index]
      return (example.rejected == nil ? message.isLearnt : index == messages.count - 1)
        && (message.thinks || message.toolCalls != nil)
    }
    guard !some.isEmpty else { return [] }
    do throws(ChatDefect) {
      return try chat.transcript(messages.map(\.said), tools: tools).omissions
        .filter { some.contains($0.message) }
    } catch {
      throw .rendering(error, line: example.line)
    }
  }
}

extension TokenizedExample {
  /// The same of which the last answer alone is learnt.
  fileprivate var answeringLast: TokenizedExample {
    TokenizedExample(line: line, tokens: tokens, trained: Array(trained.suffix(1)))
  }
}

extension TrainingMessage {
  /// Whether there are thoughts, apart from the text or in it.
  fileprivate var thinks: Bool { thoughts != nil || ThoughtStream.thoughts(in: content) != nil }

  var formatText: String {
    guard let format = responseFormat else { return "" }
    return ChatFormat.schemaText(
      name: format.name, description: format.description, schema: format.schema.line)
  }
}
