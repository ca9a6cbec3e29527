@testable import AdapterTraining

extension ConversionCase {
  /// Records that do not all have the keys of the first one.
  static let byRecord = [
    ConversionCase(
      name: "more in a later one.jsonl",
      text: """
        {"instruction": "I", "output": "A"}
        {"instruction": "I", "input": "in", "output": "A"}
        {"instruction": "I", "context": "C", "response": "A"}
        {"instruction": "I", "output": "A", "system": "S"}
        {"instruction": "I", "input": null, "output": "A", "history": [["1", "2"]]}
        """,
      lines: [
        chat(("user", "I"), ("assistant", "A")), chat(("user", #"I\n\nin"#), ("assistant", "A")),
        chat(("user", #"I\n\nC"#), ("assistant", "A")),
        chat(("system", "S"), ("user", "I"), ("assistant", "A")),
        chat(("user", "1"), ("assistant", "2"), ("user", "I"), ("assistant", "A")),
      ]),
    ConversionCase(
      name: "named in a later one.jsonl",
      text: #"{"q": "Q", "a": "A"}"# + "\n" + #"{"rule": "S", "q": "Q", "a": "A"}"#,
      lines: [
        chat(("user", "Q"), ("assistant", "A")),
        chat(("system", "S"), ("user", "Q"), ("assistant", "A")),
      ]
    ) { ($0.prompt, $0.answer, $0.system) = ("q", "a", "rule") },
    ConversionCase(
      name: "null where a form has none.json",
      text: """
        [{"prompt": "Q", "completion": null, "response": "A"},
        {"prompt": "Q", "completion": "A", "response": null}]
        """,
      lines: [chat(("user", "Q"), ("assistant", "A")), chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "several forms.json",
      text: """
        [{"prompt": "Q", "completion": "A"}, {"prompt": "Q", "chosen": "A", "rejected": "B"},
        {"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2"}]}]
        """,
      lines: [
        chat(("user", "Q"), ("assistant", "A")), pair(chat(("user", "Q")), "A", "B"),
        chat(("user", "1"), ("assistant", "2")),
      ]),
    ConversionCase(
      name: "one of two names.csv", text: "Body,Answer\nQ,A\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]
    ) { $0.prompt = "Body" },
    ConversionCase(
      name: "messages of trl.jsonl",
      text:
        #"{"prompt": \#(chat(("user", "Q"))), "completion": \#(chat(("assistant", "A")))}"#,
      lines: [chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "unpaired.jsonl",
      text: """
        {"prompt": "Q", "completion": "A", "label": true}
        {"prompt": "Q", "completion": "B", "label": false}
        {"prompt": "Q", "completion": "C", "weight": 0}
        """,
      lines: [chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "unpaired.csv",
      text: "prompt,completion,label,weight\nQ,A,True,1\nQ,B,False,\nQ,C,,0\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "unpaired as numbers.csv", text: "prompt,completion,label\nQ,A,1\nQ,B,0\nQ,A,\n",
      lines: one + one),
    ConversionCase(
      name: "unpaired as numbers.jsonl",
      text: """
        {"prompt": "Q", "completion": "B", "label": 0}
        {"prompt": "Q", "completion": "A", "label": "1.0"}
        """,
      lines: one),
    ConversionCase(
      name: "unpaired as LLaMA-Factory has them.json",
      text: """
        [{"conversations": [{"from": "human", "value": "Q"}, {"from": "gpt", "value": "B"}], "kto_tag": false},
        {"messages": \(chat(("user", "Q"), ("assistant", "B"))), "kto_tag": "false"},
        {"instruction": "Q", "output": "B", "kto_tag": 0},
        {"instruction": "Q", "output": "A", "kto_tag": true}]
        """,
      lines: one),
    ConversionCase(
      name: "labels that are classes.csv",
      text: "prompt,completion,label\nQ,A,0\nQ,A,1\nQ,A,2\n", lines: one + one + one),
    ConversionCase(
      name: "labels that answer.jsonl", text: #"{"text": "Q", "label": false}"#,
      lines: [chat(("user", "Q"), ("assistant", "false"))]),
    ConversionCase(
      name: "tools.csv",
      text: "prompt,completion,tools\nQ,A,\"[{\"\"name\"\": \"\"f\"\"}]\"\nQ,A,\n",
      lines: [
        #"[{"role": "user", "content": "Q", "tools": [{"name": "f"}]}, {"role": "assistant", "content": "A"}]"#,
        chat(("user", "Q"), ("assistant", "A")),
      ]),
  ]

  /// Messages and turns as OpenAI's data, its successors and LLaMA-Factory have them.
  static let dialects = [
    ConversionCase(
      name: "parts.jsonl",
      text: """
        {"messages": [{"role": "developer", "content": "S"}, {"role": "User", "content": [{"type": "text", "text": "Q"}, \
        {"type": "text", "text": "R"}]}, {"role": "gpt", "content": "A"}]}
        """,
      lines: [
        #"{"messages": \#(chat(("system", "S"), ("user", #"Q\nR"#), ("assistant", "A")))}"#
      ]),
    ConversionCase(
      name: "calls.json",
      text: #"""
        [{"conversations": [{"from": "human", "value": "Q"},
        {"from": "function_call", "value": "{\"name\": \"f\", \"arguments\": {\"x\": 1}}"},
        {"from": "observation", "value": "1"}, {"from": "gpt", "value": "A"}], "tools": "[{\"name\": \"f\"}]"}]
        """#,
      lines: [
        #"[{"role": "user", "content": "Q", "tools": [{"name": "f"}]}, "#
          + #"{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}, "#
          + #"{"role": "tool", "content": "1"}, {"role": "assistant", "content": "A"}]"#
      ]),
    ConversionCase(
      name: "calls.jsonl",
      text: #"""
        {"messages": [{"role": "user", "content": "Q"}, \#
        {"role": "function_call", "content": "{\"name\": \"f\", \"arguments\": {\"x\": 1}}"}, \#
        {"role": "observation", "content": "1"}, {"role": "assistant", "content": "A"}], "tools": [{"name": "f"}]}
        """#,
      lines: [
        #"{"messages": [{"role": "user", "content": "Q"}, "#
          + #"{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}]}, "#
          + #"{"role": "tool", "content": "1"}, {"role": "assistant", "content": "A"}], "tools": [{"name": "f"}]}"#
      ]),
  ]

  /// Marks in texts, padding of columns, and turns that are not to be learnt.
  static let habits = [
    ConversionCase(
      name: "hermes.jsonl",
      text: #"""
        {"id": "x", "conversations": [{"from": "system", "value": "You call functions. Here are the tools:\n<tools>\n[{\"name\": \"f\"}]\n</tools>\nReturn <tool_call>{...}</tool_call>."}, \#
        {"from": "human", "value": "Q"}, {"from": "gpt", "value": "<tool_call>\n{'name': 'f', 'arguments': {'x': None, 'y': 1}}\n</tool_call>"}, \#
        {"from": "tool", "value": "<tool_response>\n{\"ok\": true}\n</tool_response>"}, {"from": "gpt", "value": "Done."}], "tools": "[{\"name\": \"f\"}]"}
        """#,
      lines: [
        #"[{"role": "system", "content": "You call functions.", "tools": [{"name": "f"}]}, {"role": "user", "content": "Q"}, "#
          + #"{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"y": 1}}}]}, "#
          + #"{"role": "tool", "content": "{\"ok\": true}"}, {"role": "assistant", "content": "Done."}]"#
      ]),
    ConversionCase(
      name: "hermes in messages.jsonl",
      text: #"""
        {"messages": [{"role": "system", "content": "<tools>{'name': 'f'}</tools>"}, {"role": "user", "content": "Q"}, \#
        {"role": "assistant", "content": "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"}]}
        """#,
      lines: [
        #"{"messages": [{"role": "user", "content": "Q"}, "#
          + #"{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], "#
          + #""tools": [{"name": "f"}]}"#
      ]),
    ConversionCase(
      name: "hermes in pairs.jsonl",
      text: #"""
        {"prompt": [{"role": "system", "content": "<tools>[{'name': 'f'}]</tools>"}, {"role": "user", "content": "Q"}], \#
        "chosen": "<tool_call>{'name': 'f'}</tool_call>", "rejected": "No."}
        """#,
      lines: [
        #"{"prompt": [{"role": "user", "content": "Q"}], "#
          + #""chosen": [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], "#
          + #""rejected": [{"role": "assistant", "content": "No."}], "tools": [{"name": "f"}]}"#
      ]),
    ConversionCase(
      name: "padded.jsonl",
      text:
        #"{"messages": [{"role": "user", "content": "Q", "tool_calls": null}, {"role": "assistant", "content": "A", "tool_calls": []}], "tools": ""}"#,
      lines: [#"{"messages": \#(chat(("user", "Q"), ("assistant", "A")))}"#]),
    ConversionCase(
      name: "padded turns.json",
      text: """
        [{"conversations": [{"from": "human", "value": "Q", "content": null, "weight": null},
        {"from": "gpt", "value": "A", "content": null, "train": null}], "tools": null, "system": null}]
        """,
      lines: one),
    ConversionCase(
      name: "turns that are not learnt.jsonl",
      text: """
        {"conversations": [{"from": "human", "value": "Q", "train": false}, {"from": "gpt", "value": "B", "train": false}, \
        {"from": "human", "value": "Q"}, {"from": "gpt", "value": "A", "train": true}]}
        """,
      lines: [
        #"[{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B", "weight": 0}, "#
          + #"{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]"#
      ]),
  ]

  private static let one = [chat(("user", "Q"), ("assistant", "A"))]

  /// What Excel and others write.
  static let spreadsheets = [
    ConversionCase(name: "semicolons.csv", text: "prompt;completion\r\nQ;A\r\n", lines: one),
    ConversionCase(name: "tabs.csv", text: "prompt\tcompletion\nQ\tA\n", lines: one),
    ConversionCase(name: "semicolons.tsv", text: "prompt;completion\nQ;A\n", lines: one),
    ConversionCase(
      name: "commas between semicolons.csv", text: "Question, if any, or none;Answer\nQ;A\n",
      lines: one
    ) { ($0.prompt, $0.answer) = ("Question, if any, or none", "Answer") },
    ConversionCase(
      name: "semicolons between commas.csv", text: "prompt,completion\n\"Q; x; y\",A\n",
      lines: [chat(("user", "Q; x; y"), ("assistant", "A"))]),
    ConversionCase(name: "said.csv", text: "sep=;\r\nprompt;completion\r\nQ;A\r\n", lines: one),
    ConversionCase(
      name: "said otherwise.csv", text: "\"Sep=|\"\nprompt|completion\nQ|A\n", lines: one),
    ConversionCase(
      name: "empty columns.csv", text: "prompt,completion,,\nQ,A,,\n,,,\nQ,A,,,,\n",
      lines: one + one),
    ConversionCase(
      name: "a column of numbers.csv", text: ",prompt,completion\n0,Q,A\n", lines: one),
    ConversionCase(
      name: "blanks around names.csv", text: " prompt , completion\u{A0}\nQ,A\n", lines: one),
    ConversionCase(name: "by its first character", text: "prompt,completion\nQ,A\n", lines: one),
    ConversionCase(
      name: "list by its first character", text: "\n [{\"prompt\": \"Q\", \"completion\": \"A\"}]",
      lines: one),
  ]
}
