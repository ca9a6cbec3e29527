"""Requests in good order for every route that reads a body, from which wrong ones are made."""

TOOL = {"type": "function", "function": {"name": "f", "description": "Does", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "maxLength": 4}, "b": {"enum": [1, 2]}}, "required": ["b"]}
SAID = [{"role": "system", "content": "Be short."}, {"role": "user", "content": [{"type": "text", "text": "A kite"}]}]
SAMPLING = {"temperature": 0.5, "top_p": 0.9, "top_k": 20, "min_p": 0.05, "seed": 7, "presence_penalty": 0.5, "frequency_penalty": 0.5,
            "repetition_penalty": 1.1, "repeat_last_n": 8, "logit_bias": {"5": 1}, "stop": ["kite", "."]}


def bodies(base, adapter):
    """Paths and bodies; each is answered with status 200 as it stands."""
    chat = {"model": adapter, "messages": SAID, "max_tokens": 2}
    flat = {"type": "function", **TOOL["function"]}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}}]}
    result = {"role": "tool", "tool_call_id": "c", "content": "2"}
    claude = {"model": adapter, "max_tokens": 2, "system": [{"type": "text", "text": "Be short."}], "messages": [{"role": "user", "content": "A kite"}]}
    options = {"num_predict": 2, "temperature": 0.5, "seed": 7, "top_k": 20, "stop": ["."], "repeat_penalty": 1.1, "repeat_last_n": 8}
    return [
        ("/v1/chat/completions", {**chat, **SAMPLING, "n": 2, "logprobs": True, "top_logprobs": 2}),
        ("/v1/chat/completions", {**chat, "stream": True, "stream_options": {"include_usage": True}, "lora": None}),
        ("/v1/chat/completions", {**chat, "messages": [*SAID, call, result], "tools": [TOOL], "tool_choice": "auto", "parallel_tool_calls": False}),
        ("/v1/chat/completions", {**chat, "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}}),
        ("/v1/chat/completions", {**chat, "model": base, "structured_outputs": {"regex": "[a-c]{2}"}, "lora": [{"id": 0, "scale": 0.5}]}),
        ("/chat/completions", {**chat, "tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "f"}}}),
        ("/v1/completions", {"model": base, "prompt": ["A kite", "A lamp"], "max_tokens": 2, "logprobs": 2, "n": 1, **SAMPLING}),
        ("/v1/completions", {"model": base, "prompt": [5, 6, 7], "max_tokens": 2, "stream": True, "echo": True}),
        ("/v1/responses", {"model": adapter, "input": "A kite", "instructions": "Be short.", "max_output_tokens": 2, "temperature": 0.5, "stream": True}),
        ("/v1/responses", {"model": adapter, "max_output_tokens": 2, "tools": [flat], "tool_choice": "required", "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "A kite"}]},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "2"}]}),
        ("/v1/responses", {"model": adapter, "input": "A", "max_output_tokens": 2, "text": {"format": {"type": "json_schema", "name": "s", "schema": SCHEMA}}}),
        ("/v1/messages", {**claude, "stop_sequences": ["."], "temperature": 0.5, "top_k": 20}),
        ("/v1/messages", {**claude, "stream": True, "tools": [{"name": "f", "input_schema": SCHEMA}], "tool_choice": {"type": "any"}}),
        ("/v1/messages", {**claude, "messages": [
            {"role": "user", "content": "A kite"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "2"}]}]}),
        ("/v1/messages/count_tokens", {key: value for key, value in claude.items() if key != "max_tokens"}),
        ("/api/chat", {"model": adapter, "messages": [{"role": "user", "content": "A kite"}], "options": options, "logprobs": True, "top_logprobs": 2}),
        ("/api/chat", {"model": adapter, "messages": [{"role": "user", "content": "A"}], "options": options, "stream": False, "format": SCHEMA, "tools": [TOOL]}),
        ("/api/generate", {"model": base, "prompt": "A kite", "raw": True, "options": options, "stream": False, "keep_alive": "5m"}),
        ("/api/show", {"model": adapter}),
        ("/tokenize", {"content": "A kite", "add_special": True, "with_pieces": True}),
        ("/tokenize", {"model": adapter, "messages": SAID}),
        ("/detokenize", {"tokens": [5, 6, 7]}),
        ("/v1/load_lora_adapter", {"lora_name": "mine", "lora_path": "tagging.fmadapter", "load_inplace": True}),
        ("/v1/unload_lora_adapter", {"lora_name": "theirs"}),
        ("/lora-adapters", [{"id": 0, "scale": 0}]),
    ]
