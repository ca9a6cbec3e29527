/// Requests that have every field that is read, so that their readers tell of all of them: one for each way in which they can go.
///
/// They name no model that there is, and nothing is answered.
enum RequestSamples {
  private static let sampling = #"""
    "temperature": 1, "top_p": 1, "top_k": 1, "min_p": 0, "presence_penalty": 0, "frequency_penalty": 0, "logit_bias": {},
    "repetition_penalty": 1, "repeat_last_n": 1, "seed": 1, "stop": "a", "lora": [{"id": 0, "scale": 1}]
    """#

  private static let forms = [
    #""response_format": {"type": "json_schema", "json_schema": {"schema": {}}}"#,
    #""response_format": {"type": "json_object", "schema": {}}"#,
    #""response_format": {"type": "regex", "pattern": "a"}"#,
    #""response_format": {"type": "regex", "value": "a"}"#,
    #""response_format": {"type": "json", "value": {}}"#, #""json_schema": {}"#,
    #""guided_json": {}"#, #""structured_outputs": {"json": {}}"#,
  ]

  private static let function =
    #"{"type": "function", "function": {"name": "f", "description": "a", "parameters": {}}}"#
  private static let flatFunction =
    #"{"type": "function", "name": "f", "description": "a", "parameters": {}, "strict": true}"#

  private static let chat =
    [
      #"""
      {"model": "", "messages": [{"role": "system", "content": [{"type": "text", "text": "a"}]},
      {"role": "user", "content": [{"type": "refusal", "refusal": "a"}]},
      {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
      {"role": "tool", "tool_call_id": "a", "name": "f", "content": "a"}],
      "tools": [\#(function)], "tool_choice": {"type": "function", "function": {"name": "f"}},
      "stream": true, "stream_options": {"include_usage": true}, "chat_template_kwargs": {"enable_thinking": true}, "reasoning_effort": "low", \#(sampling)}
      """#,
      #"""
      {"model": "", "messages": [{"role": "user", "content": "a"}], "tools": [\#(function)], "tool_choice":
      {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "f"}}]}}}
      """#,
    ]
    + forms.map {
      #"{"model": "", "messages": [{"role": "user", "content": "a"}], \#($0)}"#
    } + [#"{"model": "", "messages": [{"role": "user", "content": "a"}], "tool_choice": "auto"}"#]

  private static let completions =
    [#"{"model": "", "prompt": "a", "stream": true, "stream_options": {}, \#(sampling)}"#]
    + forms.map { #"{"model": "", "prompt": "a", \#($0)}"# }

  private static let responses = [
    #"""
    {"model": "", "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "refusal", "refusal": "a"}]},
    {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "a"}], "summary": [{"type": "summary_text", "text": "a"}]},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "a"}],
    "tools": [\#(flatFunction)], "tool_choice": {"type": "function", "name": "f"}, "text": {"verbosity": "medium", "format": {"type": "json_schema", "schema": {}}},
    "reasoning": {"effort": "low"}, "stream_options": {}, "metadata": {}, \#(sampling)}
    """#,
    #"""
    {"model": "", "input": "a", "tools": [\#(flatFunction)], "tool_choice":
    {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]}}
    """#,
    #"{"model": "", "input": "a", "tool_choice": "auto"}"#,
    #"{"model": "", "input": "a", "structured_outputs": {"json": {}}}"#,
  ]

  private static let messages = [
    #"""
    {"model": "", "max_tokens": 1, "system": [{"type": "text", "text": "a"}], "messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "a"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
    {"role": "system", "content": [{"type": "text", "text": "a"}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "a"}, {"type": "mid_conv_system", "content": "a"}]}],
    "tools": [{"type": "custom", "name": "f", "description": "a", "input_schema": {}}], "tool_choice": {"type": "tool", "name": "f"},
    "diagnostics": {}, "output_config": {"format": {"type": "json_schema", "schema": {}}},
    "context_management": {"edits": [{"type": "clear_thinking_20251015"}]},
    "thinking": {"type": "enabled"}, "stop_sequences": ["a"], \#(sampling)}
    """#,
    #"""
    {"model": "", "max_tokens": 1, "messages": [{"role": "user", "content": "a"}], "output_format": {"type": "json_schema", "schema": {}}}
    """#,
  ]

  private static let options = #"""
    "options": {"num_predict": 1, "num_ctx": 1, "seed": 1, "temperature": 1, "top_k": 1, "repeat_penalty": 1, "repeat_last_n": 1, "stop": "a"}
    """#

  private static let ollamaChat = [
    #"""
    {"model": "", "messages": [{"role": "user", "content": "a"},
    {"role": "assistant", "thinking": "a", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {}}}]},
    {"role": "tool", "tool_name": "f", "content": "a"}], "tools": [\#(function)], "think": true, \#(options)}
    """#,
    #"{"model": "", "messages": [{"role": "user", "content": "a"}], "think": "low", "format": {}}"#,
  ]

  private static let ollamaText = [
    #"{"model": "", "prompt": "a", "system": "a", "raw": false, "think": true, \#(options)}"#,
    #"{"model": "", "prompt": "a", "think": "low", "format": {}}"#,
  ]

  private static let all: [String: [String]] = [
    "/v1/chat/completions": chat, "/chat/completions": chat, "/v1/completions": completions,
    "/v1/responses": responses, "/responses": responses, "/v1/messages": messages,
    "/v1/messages/count_tokens": messages, "/api/chat": ollamaChat, "/api/generate": ollamaText,
    "/api/show": [#"{"model": ""}"#],
    "/tokenize": [
      #"{"content": "a"}"#, #"{"prompt": "a"}"#,
      #"{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}]}"#,
    ],
    "/detokenize": [#"{"tokens": []}"#],
    "/v1/load_lora_adapter": [#"{"lora_name": "", "lora_path": ""}"#],
    "/v1/unload_lora_adapter": [#"{"lora_name": ""}"#],
    "/lora-adapters": [#"[{"id": 2147483647, "scale": 1}]"#],
  ]

  /// The bodies for a route that is posted to; none where it reads none.
  static func bodies(_ path: String) -> [String] { all[path] ?? [] }
}
