extension ChatFormat {
  /// The template of the format; turns may follow each other in any order.
  ///
  /// Sources: the templates that the models were published with, and for AFM Apple's tamm, version 6.
  var template: String {
    switch self {
    case .afm: Self.afmTemplate
    case .chatML: Self.chatMLTemplate
    case .llama2: Self.llama2Template
    case .llama3: Self.llama3Template
    case .gemma: Self.gemmaTemplate
    case .phi3: Self.phi3Template
    }
  }

  private static let afmTemplate = #"""
    {{- eos_token -}}
    {%- for message in messages -%}
      {{- '<turn_start> ' + message.role + '<n>' + message.content -}}
      {%- if loop.first and message.role == 'system' and tools -%}
        {{- '\nsystem tools: ' -}}
        {%- for tool in tools -%}{{- tool | tojson -}}{{- '' if loop.last else '\n' -}}{%- endfor -%}
      {%- endif -%}
      {%- if message.tool_calls is defined -%}
        {%- set ns = namespace(calls=[]) -%}
        {%- for call in message.tool_calls -%}
          {%- set ns.calls = ns.calls + [{'name': call.function.name, 'arguments': call.function.arguments}] -%}
        {%- endfor -%}
        {{- '<executable_start> ```function\n' + ns.calls | tojson + '```<executable_end>' -}}
      {%- endif -%}
      {{- '<turn_end>' -}}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<turn_start> assistant<n>' -}}{%- endif -%}
    """#

  /// What files of AFM bases have as their template: a short form, which stands for the whole one.
  static let afmShortTemplate = #"""
    {%- for message in messages -%}
    {{- '<turn_start> ' + message['role'] + '<n>' + message['content'] + '<turn_end>' -}}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<turn_start> assistant<n>' -}}{%- endif -%}
    """#

  /// Tools as in the templates of Hermes and Qwen: definitions with the instructions, results in turns of the user; those in a
  /// row share one.
  private static let chatMLTemplate = #"""
    {%- if tools -%}
      {{- '<|im_start|>system\n' -}}
      {%- if messages[0].role == 'system' -%}{{- messages[0].content + '\n\n' -}}{%- endif -%}
      {{- '# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>' -}}
      {%- for tool in tools -%}{{- '\n' + tool | tojson -}}{%- endfor -%}
      {{- '\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n' -}}
    {%- endif -%}
    {%- for message in messages -%}
      {%- if message.role == 'tool' -%}
        {%- if loop.first or loop.previtem.role != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
        {{- '\n<tool_response>\n' + message.content + '\n</tool_response>' -}}
        {%- if loop.last or loop.nextitem.role != 'tool' -%}{{- '<|im_end|>\n' -}}{%- endif -%}
      {%- elif not (loop.first and message.role == 'system' and tools) -%}
        {{- '<|im_start|>' + message.role + '\n' + message.content -}}
        {%- if message.tool_calls is defined -%}
          {%- for call in message.tool_calls -%}
            {%- if message.content or not loop.first -%}{{- '\n' -}}{%- endif -%}
            {{- '<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' + call.function.arguments | tojson + '}\n</tool_call>' -}}
          {%- endfor -%}
        {%- endif -%}
        {{- '<|im_end|>\n' -}}
      {%- endif -%}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<|im_start|>assistant\n' -}}{%- endif -%}
    """#

  private static let llama2Template = #"""
    {%- set ns = namespace(system='') -%}
    {%- for message in messages -%}
      {%- if message.role == 'system' -%}
        {%- set ns.system = '<<SYS>>\n' + message.content + '\n<</SYS>>\n\n' -%}
      {%- elif message.role == 'assistant' -%}
        {{- ' ' + message.content | trim + ' ' + eos_token -}}
      {%- else -%}
        {{- bos_token + '[INST] ' + (ns.system + message.content) | trim + ' [/INST]' -}}
        {%- set ns.system = '' -%}
      {%- endif -%}
    {%- endfor -%}
    """#

  /// Tools as in the templates of Llama 3.1 and later: definitions with the first question, one call an answer, results as texts in
  /// JSON.
  ///
  /// What an answer says before its call stays, which those leave out.
  private static let llama3Template = #"""
    {{- bos_token -}}
    {%- set ns = namespace(told=not tools) -%}
    {%- for message in messages -%}
      {%- set role = 'ipython' if message.role == 'tool' else message.role -%}
      {{- '<|start_header_id|>' + role + '<|end_header_id|>\n\n' -}}
      {%- if role == 'user' and not ns.told -%}
        {%- set ns.told = true -%}
        {{- 'Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\nRespond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n' -}}
        {%- for tool in tools -%}{{- tool | tojson(indent=4) + '\n\n' -}}{%- endfor -%}
      {%- endif -%}
      {{- message.content | tojson if message.role == 'tool' else message.content | trim -}}
      {%- if message.tool_calls is defined -%}
        {%- if message.tool_calls | length != 1 -%}
          {{- raise_exception('This model only supports single tool-calls at once!') -}}
        {%- endif -%}
        {%- set call = message.tool_calls[0].function -%}
        {{- '{"name": "' + call.name + '", "parameters": ' + call.arguments | tojson + '}' -}}
      {%- endif -%}
      {{- '<|eot_id|>' -}}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' -}}{%- endif -%}
    """#

  /// Instructions are a part of the first turn of the user, as in the template of Gemma 3.
  private static let gemmaTemplate = #"""
    {{- bos_token -}}
    {%- set ns = namespace(system='') -%}
    {%- for message in messages -%}
      {%- if message.role == 'system' -%}
        {%- set ns.system = message.content + '\n\n' -%}
      {%- else -%}
        {%- set role = 'model' if message.role == 'assistant' else 'user' -%}
        {{- '<start_of_turn>' + role + '\n' + ns.system + message.content | trim + '<end_of_turn>\n' -}}
        {%- set ns.system = '' -%}
      {%- endif -%}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<start_of_turn>model\n' -}}{%- endif -%}
    """#

  private static let phi3Template = #"""
    {%- for message in messages -%}
      {{- '<|' + message.role + '|>\n' + message.content + '<|end|>\n' -}}
    {%- endfor -%}
    {%- if add_generation_prompt -%}{{- '<|assistant|>\n' -}}{%- endif -%}
    """#
}
