import Testing

@testable import AdapterTraining

/// Text of a file, and the lines that it becomes.
struct ConversionCase: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String
  let lines: [String]
  var adjust: @Sendable (inout DataConversion) -> Void = { _ in }

  var testDescription: String { name }

  static func chat(_ messages: (String, String)...) -> String {
    let texts = messages.map { #"{"role": "\#($0)", "content": "\#($1)"}"# }
    return "[\(texts.joined(separator: ", "))]"
  }

  static let all: [ConversionCase] =
    tables + objects + conversations + preferences + byRecord + dialects + habits
    + spreadsheets

  private static let tables = [
    ConversionCase(
      name: "a.csv", text: "prompt,completion\nQ,A\n\"Q, 2\",\"A\n2\"\n",
      lines: [
        chat(("user", "Q"), ("assistant", "A")), chat(("user", "Q, 2"), ("assistant", #"A\n2"#)),
      ]),
    ConversionCase(
      name: "upper case.CSV", text: "Question,Id,Answer\nQ,7,A\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]),
    ConversionCase(
      name: "a.tsv", text: "prompt\tresponse\tsystem\nQ, 1\tA\tS\nQ\tA\t\n",
      lines: [
        chat(("system", "S"), ("user", "Q, 1"), ("assistant", "A")),
        chat(("user", "Q"), ("assistant", "A")),
      ]),
    ConversionCase(
      name: "named.csv", text: "Body,Queue,Rule\nQ,A,S\n",
      lines: [chat(("system", "S"), ("user", "Q"), ("assistant", "A"))]
    ) {
      ($0.prompt, $0.answer, $0.system) = ("Body", "Queue", "Rule")
    },
    ConversionCase(
      name: "one named.csv", text: "instruction,input,output,short\nQ,more,A,S\n",
      lines: [chat(("user", #"Q\n\nmore"#), ("assistant", "S"))]
    ) { $0.answer = "short" },
    ConversionCase(
      name: "table.txt", text: "text,label\nQ,A\n",
      lines: [chat(("user", "Q"), ("assistant", "A"))]
    ) { $0.source = .csv },
  ]

  private static let objects = [
    ConversionCase(
      name: "alpaca.json",
      text: """
        [
          {"instruction": "I", "input": "", "output": "A"},
          {"instruction": "I", "input": "in", "output": "A [1]"}, {"instruction": "I", "output": "}\\"{"}
        ]
        """,
      lines: [
        chat(("user", "I"), ("assistant", "A")),
        chat(("user", #"I\n\nin"#), ("assistant", "A [1]")),
        chat(("user", "I"), ("assistant", #"}\"{"#)),
      ]),
    ConversionCase(
      name: "history.json",
      text: #"{"instruction": "3", "output": "4", "history": [["1", "2"]], "system": "S"}"#,
      lines: [
        chat(
          ("system", "S"), ("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4"))
      ]),
    ConversionCase(
      name: "dolly.jsonl",
      text: #"{"instruction": "I", "context": "C", "response": "A", "category": "x"}"# + "\n",
      lines: [chat(("user", #"I\n\nC"#), ("assistant", "A"))]),
    ConversionCase(
      name: "input alone.json", text: #"[{"instruction": "", "input": "in", "output": "A"}]"#,
      lines: [chat(("user", "in"), ("assistant", "A"))]),
    ConversionCase(
      name: "pairs over several lines", text: "{\n\"prompt\": 7,\n\"completion\": true\n}\n{}",
      lines: [chat(("user", "7"), ("assistant", "true"))]
    ) { $0.skips = true },
  ]

  private static let conversations = [
    ConversionCase(
      name: "sharegpt.json",
      text: """
        [{"id": 1, "conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2"},
        {"from": "human", "value": "3"}, {"from": "gpt", "value": "4"}]},
        {"system": "S", "conversations": [{"from": "user", "value": "1"}, {"from": "assistant", "value": "2"}]}]
        """,
      lines: [
        chat(("user", "1"), ("assistant", "2"), ("user", "3"), ("assistant", "4")),
        chat(("system", "S"), ("user", "1"), ("assistant", "2")),
      ]),
    ConversionCase(
      name: "instructions twice.json",
      text: """
        [{"system": "S", "conversations": [{"from": "system", "value": "T"}, {"from": "human", "value": "1"}, {"from": "gpt", "value": "2"}]},
        {"system": "S", "messages": \(chat(("system", "S"), ("user", "1"), ("assistant", "2")))},
        {"system": "S", "messages": \(chat(("system", "T"), ("user", "1"), ("assistant", "2")))},
        {"system": "S", "prompt": \(chat(("system", "T"), ("user", "Q"))), "chosen": "A", "rejected": "B"}]
        """,
      lines: [
        chat(("system", #"S\n\nT"#), ("user", "1"), ("assistant", "2")),
        #"{"system": "S", "messages": \#(chat(("system", "S"), ("user", "1"), ("assistant", "2")))}"#,
        #"{"messages": \#(chat(("system", #"S\n\nT"#), ("user", "1"), ("assistant", "2")))}"#,
        pair(chat(("system", #"S\n\nT"#), ("user", "Q")), "A", "B"),
      ]),
    ConversionCase(
      name: "messages in a list.json",
      text: #"[{"messages": \#(chat(("user", "1"), ("assistant", "2")))}]"#,
      lines: [#"{"messages": \#(chat(("user", "1"), ("assistant", "2")))}"#]),
    ConversionCase(
      name: "what stands beside messages.jsonl",
      text:
        #"{"system": "S", "messages": \#(chat(("user", "1"), ("assistant", "2"))), "tools": "[{}]"}"#,
      lines: [
        #"{"messages": \#(chat(("system", "S"), ("user", "1"), ("assistant", "2"))), "tools": [{}]}"#
      ]),
    ConversionCase(
      name: "what stands in turns.json",
      text: """
        [{"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2", "weight": 0},
        {"from": "human", "value": "3"}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}]}]
        """,
      lines: [
        #"[{"role": "user", "content": "1"}, {"role": "assistant", "content": "2", "weight": 0}, "#
          + #"{"role": "user", "content": "3"}, {"role": "assistant", "content": "", "#
          + #""tool_calls": [{"function": {"name": "f", "arguments": {}}}]}]"#
      ]),
    ConversionCase(
      name: "thoughts.jsonl",
      text: """
        {"conversations": [{"from": "human", "value": "1"}, {"from": "gpt", "value": "2", "reasoning_content": "T"}]}
        {"conversations": [{"from": "human", "value": "1"}, \
        {"from": "function_call", "value": "{\\"name\\": \\"f\\", \\"arguments\\": {}}", "thinking": "T"}]}
        {"prompt": "1", "chosen": [{"role": "assistant", "content": "2", "reasoning": "T"}], "rejected": "3"}
        """,
      lines: [
        #"[{"role": "user", "content": "1"}, {"role": "assistant", "content": "2", "reasoning_content": "T"}]"#,
        #"[{"role": "user", "content": "1"}, {"role": "assistant", "content": "", "#
          + #""tool_calls": [{"function": {"name": "f", "arguments": {}}}], "thinking": "T"}]"#,
        #"{"prompt": \#(chat(("user", "1"))), "chosen": [{"role": "assistant", "content": "2", "reasoning": "T"}], "#
          + #""rejected": \#(chat(("assistant", "3")))}"#,
      ]),
    ConversionCase(
      name: "messages over lines.json",
      text: "{\n\"messages\":\n\(chat(("user", "1"), ("assistant", "2")))}",
      lines: [#"{"messages": \#(chat(("user", "1"), ("assistant", "2")))}"#]),
    ConversionCase(
      name: "roles.jsonl",
      text:
        #"{"conversations": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}]}"#,
      lines: [chat(("user", "1"), ("assistant", "2"))]),
  ]
}

extension ConversionCase {
  static func pair(_ prompt: String, _ chosen: String, _ rejected: String) -> String {
    func answer(_ text: String) -> String { chat(("assistant", text)) }
    return
      #"{"prompt": \#(prompt), "chosen": \#(answer(chosen)), "rejected": \#(answer(rejected))}"#
  }

  /// What trl's data sets look like.
  fileprivate static let preferences = [
    ConversionCase(
      name: "standard.jsonl",
      text: #"{"prompt": "Q", "chosen": "A", "rejected": "B", "score_chosen": 8.5}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "conversational.json",
      text:
        #"[{"prompt": \#(chat(("system", "S"), ("user", "Q"))), "chosen": \#(chat(("assistant", "A"))), "rejected": \#(chat(("assistant", "B")))}]"#,
      lines: [pair(chat(("system", "S"), ("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "implicit.json",
      text:
        #"{"chosen": \#(chat(("user", "Q"), ("assistant", "A"))), "rejected": \#(chat(("user", "Q"), ("assistant", "B")))}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "ultrafeedback.jsonl",
      text:
        #"{"prompt": "Q", "prompt_id": "7", "messages": [], "chosen": \#(chat(("user", "Q"), ("assistant", "A"))), "rejected": \#(chat(("user", "Q"), ("assistant", "B")))}"#,
      lines: [pair(chat(("user", "Q")), "A", "B")]),
    ConversionCase(
      name: "turns.jsonl",
      text:
        #"{"chosen": "\n\nHuman: 1\n\nAssistant: 2\n\nHuman: 3\n\nAssistant: A", "rejected": "\n\nHuman: 1\n\nAssistant: 2\n\nHuman: 3\n\nAssistant: B"}"#,
      lines: [pair(chat(("user", "1"), ("assistant", "2"), ("user", "3")), "A", "B")]),
    ConversionCase(
      name: "orca.csv", text: "system,question,chosen,rejected\nS,Q,A,B\n,Q,A,C\n",
      lines: [
        pair(chat(("system", "S"), ("user", "Q")), "A", "B"), pair(chat(("user", "Q")), "A", "C"),
      ]),
    ConversionCase(
      name: "named pairs.csv", text: "Ask,chosen,rejected\nQ,A,B\n",
      lines: [pair(chat(("user", "Q")), "A", "B")]
    ) { $0.prompt = "Ask" },
  ]
}
