import Fuzzing
import JSON

@testable import ChatTemplates

/// What templates are given: a chat with a tool, its call and its result.
private nonisolated(unsafe) let variables: [(name: String, value: JinjaValue)] = {
  let text = #"""
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Héllo <x> & 'y'"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "f", "arguments": {"x": 1, "y": [1.5, true, null]}}}]},
      {"role": "tool", "tool_call_id": "a", "content": "3"}],
     "tools": [{"type": "function", "function": {"name": "f", "description": "d",
       "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}}],
     "add_generation_prompt": true, "bos_token": "<s>", "eos_token": "</s>"}
    """#
  guard let object = try? JSONDocument(parsing: Array(text.utf8)).root.object else { fatalError() }
  return object.members.map { ($0.key, JinjaValue($0.value, .data)) }
}()

private let limits: JinjaLimits = {
  var limits = JinjaLimits()
  (limits.steps, limits.bytes) = (50_000, 4 << 20)
  return limits
}()

private let parser = chosen([
  "jinja": { bytes in
    let template = try JinjaTemplate(text(bytes))
    _ = try template.render(
      variables, date: TemplateDate(year: 2026, month: 2, day: 3), limits: limits
    ).string
  },
  "thoughts": { bytes in
    var stream = ThoughtStream(after: bytes.first == 1 ? "<think>" : "")
    for piece in bytes.dropFirst().split(separator: 0, omittingEmptySubsequences: false) {
      _ = stream.append(text(piece))
    }
    _ = stream.finish()
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
