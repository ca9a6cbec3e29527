import FoundationEssentials
import JSON
import LanguageModels

/// A response to a request, before and behind its end.
struct Response {
  /// How far it is.
  enum State {
    case going
    case ended(Generation.End)
    case failed(ServingError)
  }

  let run: GenerationRun
  let request: ResponsesRequest
  private let id = "resp_\(RandomID.make())"

  /// Its items, of which there are none yet.
  var output: ResponsesOutput {
    let isAsked = request.generation.likeliest != nil
    return ResponsesOutput(
      logs: isAsked ? TokenLogs(tokenizer: run.model.base.tokenizer) : nil)
  }

  /// All of it, once it has come; nil where the client has gone.
  func whole() throws(ServingError) -> JSONObject? {
    var output = output
    while let piece = try run.next() { _ = output.append(piece) }
    guard let end = run.end else { return nil }
    _ = output.finish(end)
    return json(.ended(end), output.items)
  }

  func json(_ state: State, _ output: [JSONObject]) -> JSONObject {
    let sampling = request.generation.sampling(of: run.model)
    var object: JSONObject = [
      "id": .string(id), "object": .string("response"), "created_at": .integer(run.created),
      "completed_at": .null, "status": .string(state.name), "incomplete_details": .null,
      "error": .null, "model": .string(run.model.name),
      "output": .array(output.map { .object($0) }), "usage": .null,
      "temperature": .number(JSONNumber(sampling.temperature)),
      "top_p": .number(JSONNumber(sampling.topP)),
    ]
    for member in request.repeated.members { object[member.key] = member.value }
    switch state {
    case .going: break
    case .ended(.length):
      object["incomplete_details"] = .object(["reason": .string("max_output_tokens")])
      object["usage"] = usage
    case .ended:
      object["completed_at"] = .integer(Int(Date().timeIntervalSince1970))
      object["usage"] = usage
    case .failed(let error):
      object["error"] = .object([
        "code": .string(error.code ?? OpenAIErrors.type(of: error)),
        "message": .string(error.message),
      ])
    }
    return object
  }

  private var usage: JSONValue {
    let usage = run.usage
    return .object([
      "input_tokens": .integer(usage.prompt), "output_tokens": .integer(usage.generated),
      "total_tokens": .integer(usage.total),
      "input_tokens_details": .object(["cached_tokens": .integer(usage.cached)]),
      "output_tokens_details": .object(["reasoning_tokens": .integer(usage.thought)]),
    ])
  }
}

extension Response.State {
  /// As `status` has it, and the name of the event that tells of it.
  var name: String {
    switch self {
    case .going: "in_progress"
    case .ended(.length): "incomplete"
    case .ended: "completed"
    case .failed: "failed"
    }
  }
}
