import Adapters
import ChatTemplates
import Grammars
import JSON
import LanguageModels
import Tokenization

/// What a client asks a model for, whichever interface it speaks.
struct GenerationRequest: Sendable {
  /// What is to be answered or continued.
  enum Prompt: Sendable {
    case chat([ChatMessage])
    case tokens([Token])
    /// In which special tokens count as such.
    case text(String)
  }

  /// What an answer has to be like.
  enum Form: Sendable, Equatable {
    case any
    /// Any JSON object.
    case object
    /// JSON that a schema allows.
    case schema(JSONValue)
    /// One of these texts.
    case choice([String])
    /// A text that matches a regular expression as a whole.
    case pattern(String)
  }

  var prompt: Prompt
  /// What the client's interface calls that.
  var promptField: String
  var form = Form.any
  /// Tools that the model is told of.
  var tools: [ChatTool] = []
  var calling = ToolCalling.allowed
  /// The tools that may be called; nil for all of them.
  var callable: [String]?
  /// Calls of an answer, at most.
  var callLimit: Int?
  /// How tokens are drawn, as far as the client says it.
  var sampling = SamplingSettings()
  /// Tokens that a repetition penalty looks back on; nil for what is usual.
  var penalizedTokens: Int?
  /// What makes single tokens likelier or less likely.
  var shifts = LogitShifts()
  var seed: UInt64?
  /// Tokens of an answer at most; nil for all that the context has room for.
  var maximumTokens: Int?
  /// Texts that end an answer, and are no part of it.
  var stops: [String] = []
  /// Of so many likely tokens the probability is wanted, beside that of each token that comes; nil for none.
  var likeliest: Int?
  /// Whether the model thinks before, where its template leaves the choice; nil for the template's default.
  var thinking: Bool?

  /// Adapters of a base with their strengths, as llama.cpp's server has them; nil where the model says it.
  var lora: [AdapterScale]?

  init(_ prompt: Prompt) {
    self.prompt = prompt
    promptField = if case .chat = prompt { "messages" } else { "prompt" }
  }
}

extension GenerationRequest.Form {
  /// The grammar of an answer; nil for any text.
  ///
  /// - Throws: `GrammarDefect` for what cannot be enforced.
  func grammar() throws(GrammarDefect) -> Grammar? {
    switch self {
    case .any: nil
    case .object: Grammar(.dictionary(.anything))
    case .schema(let schema): try Grammar(schema: schema)
    case .choice(let texts): Grammar(.choice(texts.map { .verbatim(Array($0.utf8)) }))
    case .pattern(let pattern): Grammar(.plainPattern(pattern))
    }
  }
}
