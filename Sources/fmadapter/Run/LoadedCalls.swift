import JSON

/// Makes such messages of those in a file as a chat goes on with: calls with their arguments as texts, as servers have them, where
/// data sets may have the JSON itself; and with identities, which data sets may leave out.
struct LoadedCalls {
  private var count = 0
  /// Calls that no result has come for; results without an identity follow them in their order.
  private var open: [String] = []

  /// The next message of the file.
  mutating func complete(_ json: JSONValue) -> JSONValue {
    guard var message = json.object else { return json }
    if let calls = message["tool_calls"]?.array {
      open = []
      var whole: [JSONValue] = []
      for call in calls { whole.append(complete(call: call)) }
      message["tool_calls"] = .array(whole)
    } else if message["role"]?.string == "tool" {
      if let id = message["tool_call_id"]?.string {
        open.removeAll { $0 == id }
      } else if !open.isEmpty {
        message["tool_call_id"] = .string(open.removeFirst())
      }
    }
    return .object(message)
  }

  private mutating func complete(call: JSONValue) -> JSONValue {
    guard var object = call.object, var function = object["function"]?.object else { return call }
    if let arguments = function["arguments"], arguments.string == nil {
      function["arguments"] = .string(arguments.line)
      object["function"] = .object(function)
    }
    count += 1
    let id = object["id"]?.string ?? "call_\(count)"
    object["id"] = .string(id)
    open.append(id)
    return .object(object)
  }
}
