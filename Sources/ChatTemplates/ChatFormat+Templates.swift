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

  /// Tool results are turns of the user, as in the templates of Qwen; those in a row share one.
  private static let chatMLTemplate = #"""
    {%- for message in messages -%}
      {%- if message.role != 'tool' -%}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' -}}
      {%- else -%}
        {%- if loop.first or loop.previtem.role != 'tool' -%}{{- '<|im_start|>user' -}}{%- endif -%}
        {{- '\n<tool_response>\n' + message.content + '\n</tool_response>' -}}
        {%- if loop.last or loop.nextitem.role != 'tool' -%}{{- '<|im_end|>\n' -}}{%- endif -%}
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

  private static let llama3Template = #"""
    {{- bos_token -}}
    {%- for message in messages -%}
      {%- set role = 'ipython' if message.role == 'tool' else message.role -%}
      {{- '<|start_header_id|>' + role + '<|end_header_id|>\n\n' + message.content | trim + '<|eot_id|>' -}}
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
