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

  /// The base of the model that a request names, or the own one.
  private func base(_ fields: RequestReader) throws(ServingError) -> ServedBase {
    guard let name = try fields.string("model") else { return models.base }
    return try models.model(named: name).base
  }

  private func tokenize(_ http: HTTPRequest) throws(ServingError) -> HTTPResponse {
    let fields = try RequestReader(http.body)
    let base = try base(fields)
    if let text = try fields.string("content") {
      let isSpecial = try fields.bool("parse_special") ?? true
      var tokens = base.tokenizer.encode(text, special: isSpecial)
      // The begin mark is asked for apart.
      if isSpecial, try fields.bool("add_special") != true, base.tokenizer.addsBegin,
        tokens.first == base.tokenizer.beginToken
      {
        tokens.removeFirst()
      }
      let hasPieces = try fields.bool("with_pieces") ?? false
      return .json(
        .object([
          "tokens": .array(
            tokens.map { hasPieces ? piece($0, base.tokenizer) : .integer(Int($0)) })
        ]))
    }
    let tokens = try tokensOfPrompt(fields, base)
    var object: JSONObject = [
      "count": .integer(tokens.count), "max_model_len": .integer(base.contextLength),
      "tokens": .array(tokens.map { .integer(Int($0)) }),
    ]
    if try fields.bool("return_token_strs") ?? false {
      object["token_strs"] = .array(
        tokens.map {
          .string(String(decoding: base.tokenizer.bytes(of: $0, special: true), as: UTF8.self))
        })
    }
    return .json(.object(object))
  }

  private func tokensOfPrompt(
    _ fields: RequestReader, _ base: ServedBase
  ) throws(ServingError) -> [Token] {
    if let text = try fields.string("prompt") {
      return base.tokenizer.encode(text, special: try fields.bool("add_special_tokens") ?? true)
    }
    guard fields["messages"] != nil else {
      throw .invalid("content", "there has to be content, prompt or messages.")
    }
    let request = GenerationRequest(.chat(try OpenAIMessages(fields).messages))
    let model = ServedModel(
      name: base.name, base: base, adapters: [], speculation: Speculation())
    return try GenerationPrompt(request, model, isCounted: true).tokens
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
    let base = try base(fields)
    let count = base.tokenizer.count
    var tokens: [Token] = []
    for (index, value) in try fields.required("tokens", fields.array("tokens")).enumerated() {
      guard let token = value.integer, (0..<count).contains(token) else {
        throw .invalid("tokens[\(index)]", "this has to be a token, 0 to \(count - 1).")
      }
      tokens.append(Token(token))
    }
    let text = JSONValue.string(base.tokenizer.decode(tokens, special: true))
    return .json(.object(["content": text, "prompt": text]))
  }
}
