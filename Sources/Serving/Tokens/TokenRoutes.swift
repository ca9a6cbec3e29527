import ChatTemplates
import JSON
import LanguageModels
import Tokenization

extension InferenceServer {
  /// Texts to tokens and back, as llama.cpp's server and vLLM's have it: the same paths, told apart by the fields of requests.
  static let tokenRoutes = [
    Route(method: "POST", path: "/tokenize") { server, request throws(ServingError) in
      try server.tokenize(request)
    },
    Route(method: "POST", path: "/detokenize") { server, request throws(ServingError) in
      try server.detokenize(request)
    },
  ]

  /// The base of the model that a request names, or the own one; the last that is read of it.
  private func base(_ fields: RequestReader) throws(ServingError) -> ServedBase {
    let name = try fields.string("model")
    try fields.refuseRest()
    guard let name else { return models.base }
    return try models.model(named: name).base
  }

  private func tokenize(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let fields = try RequestReader(http.body)
    let request = try TokenizeRequest(fields)
    let base = try base(fields)
    let tokens = try self.tokens(of: request, base)
    if case .content = request.text {
      let told = tokens.map { request.hasPieces ? piece($0, base.tokenizer) : .integer(Int($0)) }
      return .json(.object(["tokens": .array(told)]))
    }
    var object: JSONObject = [
      "count": .integer(tokens.count), "max_model_len": .integer(base.contextLength),
      "tokens": .array(tokens.map { .integer(Int($0)) }),
    ]
    if request.hasTexts {
      object["token_strs"] = .array(
        tokens.map {
          .string(String(decoding: base.tokenizer.bytes(of: $0, special: true), as: UTF8.self))
        })
    }
    return .json(.object(object))
  }

  private func tokens(
    of request: TokenizeRequest, _ base: ServedBase
  ) throws(ServingError) -> [Token] {
    switch request.text {
    case .content(let text):
      var tokens = base.tokenizer.encode(text, special: request.isSpecial)
      // The begin mark is asked for apart.
      if request.isSpecial, !request.addsBegin, base.tokenizer.addsBegin,
        tokens.first == base.tokenizer.beginToken
      {
        tokens.removeFirst()
      }
      return tokens
    case .prompt(let text): return base.tokenizer.encode(text, special: request.addsSpecial)
    case .chat(let messages):
      let model = ServedModel(
        name: base.name, base: base, adapters: [], speculation: Speculation())
      return try GenerationPrompt(
        GenerationRequest(.chat(messages)), model, isCounted: true
      ).tokens
    }
  }

  /// A token with its text, or its bytes where they are no text.
  private func piece(_ token: Token, _ tokenizer: Tokenizer) -> JSONValue {
    let bytes = tokenizer.bytes(of: token, special: true)
    let text = String(decoding: bytes, as: UTF8.self)
    let isText = text.utf8.elementsEqual(bytes)
    return .object([
      "id": .integer(Int(token)),
      "piece": isText ? .string(text) : .array(bytes.map { .integer(Int($0)) }),
    ])
  }

  private func detokenize(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let fields = try RequestReader(http.body)
    let values = try fields.required("tokens", fields.array("tokens"))
    let base = try base(fields)
    let count = base.tokenizer.count
    var tokens: [Token] = []
    for (index, value) in values.enumerated() {
      guard let token = value.integer, (0..<count).contains(token) else {
        throw .invalid("tokens[\(index)]", "this has to be a token, 0 to \(count - 1).")
      }
      tokens.append(Token(token))
    }
    let text = JSONValue.string(base.tokenizer.decode(tokens, special: true))
    return .json(.object(["content": text, "prompt": text]))
  }
}

/// A request for the tokens of a text or a chat.
private struct TokenizeRequest {
  enum Text {
    /// As llama.cpp's server has it.
    case content(String)
    /// As vLLM has it.
    case prompt(String)
    case chat([ChatMessage])
  }

  let text: Text
  /// Of llama.cpp's server: whether marks are such, whether the begin is marked, and whether texts come with tokens.
  let (isSpecial, addsBegin, hasPieces): (Bool, Bool, Bool)
  /// Of vLLM: whether marks are such, and whether texts come with tokens.
  let (addsSpecial, hasTexts): (Bool, Bool)

  /// - Throws: `.invalidRequest` for the first field that is wrong, and for none or several texts.
  init(_ fields: RequestReader) throws(ServingError) {
    isSpecial = try fields.bool("parse_special") ?? true
    addsBegin = try fields.bool("add_special") ?? false
    hasPieces = try fields.bool("with_pieces") ?? false
    addsSpecial = try fields.bool("add_special_tokens") ?? true
    hasTexts = try fields.bool("return_token_strs") ?? false
    var texts: [Text] = []
    if let text = try fields.string("content") { texts.append(.content(text)) }
    if let text = try fields.string("prompt") { texts.append(.prompt(text)) }
    if try fields.objects("messages") != nil {
      texts.append(.chat(try OpenAIMessages(fields).messages))
    }
    guard let text = texts.first, texts.count == 1 else {
      throw .invalid("content", "there has to be one of content, prompt and messages.")
    }
    self.text = text
  }
}
