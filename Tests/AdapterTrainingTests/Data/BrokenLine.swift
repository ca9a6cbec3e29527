import Testing

@testable import AdapterTraining

/// A line that breaks one rule, and what is to be said of it.
struct BrokenLine: CustomTestStringConvertible, Sendable {
  let rule: DataRule
  let line: String
  /// Key and message of the finding.
  let said: String

  init(_ rule: DataRule, _ line: String, _ said: String) {
    self.rule = rule
    self.line = line
    self.said = said
  }

  var testDescription: String { "\(rule.rawValue): \(line.prefix(60))" }

  private static let user = #"{"role": "user", "content": "Q"}"#
  private static let answer = #"{"role": "assistant", "content": "A"}"#
  private static let system = #"{"role": "system", "content": "S"}"#

  static let all: [BrokenLine] = shapes + messages + answers + pairs + tools

  private static let shapes = [
    BrokenLine(.blankLine, " \t", "The line is empty."),
    BrokenLine(.json, "{", "byte 1: The line is not JSON: the text ends inside a value."),
    BrokenLine(.json, #"{"text": 01}"#, "byte 9: The line is not JSON: a number is malformed."),
    BrokenLine(.json, "[] []", "byte 3: The line is not JSON: something follows the value."),
    BrokenLine(
      .repeatedKey, #"{"text": "a", "text": "b"}"#, "The key 'text' stands twice in one object."),
    BrokenLine(.form, "7", "The line is an integer, not an example."),
    BrokenLine(
      .form, #"[{"messages": []}]"#,
      "The line is a list of examples."),
    BrokenLine(
      .bounds, String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
      "byte 64: The line is not read: values are nested more than 64 deep."),
    BrokenLine(.form, "{}", "The object is empty."),
    BrokenLine(.form, #"{"q": 1}"#, "The object has the keys 'q', none of which is an example."),
    BrokenLine(
      .form, #"{"prompt": "Q"}"#, "The object has the keys 'prompt', but no 'completion'."),
    BrokenLine(
      .ambiguousForm, #"{"text": "a", "messages": []}"#,
      "The line has keys of several forms: text, messages."),
    BrokenLine(.content, #"{"text": 7}"#, "text: The value is an integer, not a string."),
    BrokenLine(
      .content, #"{"prompt": [], "completion": "A"}"#,
      "prompt: The value is an array, not a string."),
    BrokenLine(
      .ignoredKey, #"{"text": "a", "id": 1}"#,
      "id: The key 'id' is not read, here or on later lines."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "label": false}"#,
      "label: The label is false: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "label": "False"}"#,
      #"label: The label is "False": the answer is not to be learnt."#),
    BrokenLine(
      .notToLearn, #"{"messages": [\#(user), \#(answer)], "weight": 0}"#,
      "weight: The weight is 0: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "weight": "0"}"#,
      #"weight: The weight is "0": the answer is not to be learnt."#),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "chosen": "A", "rejected": "B", "weight": 0}"#,
      "weight: The weight is 0: the answer is not to be learnt."),
    BrokenLine(
      .ignoredKey, #"{"prompt": "Q", "chosen": "A", "rejected": "B", "label": true}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .ignoredKey, #"{"text": "a", "label": false}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .ignoredKey, #"{"prompt": "Q", "completion": "A", "label": "spam"}"#,
      "label: The key 'label' is not read, here or on later lines."),
    BrokenLine(
      .notToLearn, #"{"messages": [\#(user), \#(answer)], "kto_tag": false}"#,
      "kto_tag: The kto_tag is false: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn, #"{"prompt": "Q", "completion": "A", "kto_tag": "0"}"#,
      #"kto_tag: The kto_tag is "0": the answer is not to be learnt."#),
    BrokenLine(
      .ignoredKey, #"{"prompt": "Q", "completion": "A", "kto_tag": "bad"}"#,
      "kto_tag: The key 'kto_tag' is not read, here or on later lines."),
    BrokenLine(
      .firstKey, #"{"tools": [{}], "messages": [\#(user), \#(answer)]}"#,
      "tools: The key 'tools' comes before the messages."),
    BrokenLine(
      .messageShape, #"{"messages": {}}"#, "messages: The messages are an object, not a list."),
  ]

  private static let messages = [
    BrokenLine(.missingAnswer, "[]", "The example has no messages."),
    BrokenLine(.messageShape, "[7]", "[0]: The message is an integer, not an object."),
    BrokenLine(
      .messageShape, #"{"messages": [{"content": "Q"}]}"#,
      "messages[0]: The message has the keys 'content', but no 'role'."),
    BrokenLine(.messageShape, #"[{"role": "user"}]"#, "[0]: The message has no 'content'."),
    BrokenLine(
      .role, #"[{"role": "model", "content": "A"}]"#, "[0].role: The role 'model' is not known."),
    BrokenLine(
      .messageShape, #"[{"role": null, "content": "A"}]"#,
      "[0]: The message has the keys 'content', but no 'role'."),
    BrokenLine(
      .role, #"[{"role": 7, "content": "A"}]"#,
      "[0].role: The role is an integer, not a string."),
    BrokenLine(
      .content, #"[{"role": "user", "content": null}]"#,
      "[0].content: The content is null, not a string."),
    BrokenLine(
      .content, #"[{"role": "user", "content": [{"type": "text", "text": "Q"}]}]"#,
      "[0].content: The content is an array, not a string."),
    BrokenLine(
      .order, "[\(user), \(user), \(answer)]",
      "[1].role: Two messages of the user follow one another."),
    BrokenLine(
      .order, "[\(user), \(answer), \(answer)]",
      "[2].role: Two messages of the assistant follow one another."),
    BrokenLine(.order, "[\(answer)]", "[0].role: The assistant speaks before the user."),
    BrokenLine(.order, "[\(system), \(answer)]", "[1].role: The assistant speaks before the user."),
    BrokenLine(
      .order, "[\(user), \(answer), \(system), \(user), \(answer)]",
      "[2].role: Message 3 is of the system; only the first may be."),
    BrokenLine(
      .order, #"[\#(user), {"role": "tool", "content": "R"}, \#(answer)]"#,
      "[1].role: The result of a tool follows no answer."),
    BrokenLine(
      .ignoredMessageKey, #"[{"role": "user", "content": "Q", "weight": 1}, \#(answer)]"#,
      "[0].weight: The key 'weight' is not read, here or on later lines."),
    BrokenLine(
      .weight, #"[\#(user), {"role": "assistant", "content": "A", "weight": 0.5}]"#,
      "[1].weight: The weight is 0.5, neither 0 nor 1."),
    BrokenLine(
      .notToLearn, #"[\#(user), {"role": "assistant", "content": "A", "weight": 0}]"#,
      "No answer is to be learnt, as each has the weight 0 or another mark."),
    BrokenLine(
      .notToLearn, #"[\#(user), {"role": "assistant", "content": "A", "loss": false}]"#,
      "No answer is to be learnt, as each has the weight 0 or another mark."),
    BrokenLine(
      .weight, #"[\#(user), {"role": "assistant", "content": "A", "loss_scale": 2.0}]"#,
      "[1].loss_scale: The loss_scale is 2.0, neither 0 nor 1."),
    BrokenLine(
      .weight, #"[\#(user), {"role": "assistant", "content": "A", "train": "no"}]"#,
      #"[1].train: 'train' is "no", neither true nor false."#),
    BrokenLine(
      .weight,
      #"[\#(user), {"role": "assistant", "content": "A", "train_detail": [{"begin_offset": 0, "end_offset": 1, "train": true}, {"train": false}]}]"#,
      "[1].train_detail: Parts of the answer are to be learnt, and others not."),
    BrokenLine(
      .weight, #"[\#(user), {"role": "assistant", "content": "A", "train_detail": false}]"#,
      "[1].train_detail: The train_detail is a boolean, not a list of parts."),
    BrokenLine(
      .weight,
      #"[\#(user), {"role": "assistant", "content": "A", "train_detail": {"train": false}}]"#,
      "[1].train_detail: The train_detail is an object, not a list of parts."),
    BrokenLine(
      .ignoredMessageKey, #"[{"role": "user", "content": "Q", "train": true}, \#(answer)]"#,
      "[0].train: The key 'train' is not read, here or on later lines."),
    BrokenLine(
      .emptyPrompt, #"[{"role": "user", "content": " "}, \#(answer)]"#,
      "[0].content: The message of the user is empty."),
  ]

  private static let answers = [
    BrokenLine(
      .missingAnswer, "[\(user)]",
      "[0].role: The last message is one of the user, so there is no answer to learn."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "completion": "\n"}"#, "completion: The answer is empty."),
    BrokenLine(.emptyAnswer, #"{"text": " "}"#, "text: The text is empty."),
    BrokenLine(
      .bareAnswer, #"{"prompt": "Q", "completion": "…"}"#,
      "completion: The answer has no letter, digit or symbol."),
    BrokenLine(
      .answerNotJSON,
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_schema", "json_schema": {"schema": {}}}}, \#(answer)]"#,
      "[1].content: The answer is not JSON, but a schema is given for it."),
    BrokenLine(
      .answerOffSchema, asking(#"{"type": "object", "required": ["a"]}"#, #"{\"b\": 1}"#),
      "[1].content: The answer does not fit its schema: the value has no 'a', which the schema requires."
    ),
    BrokenLine(
      .answerOffSchema,
      asking(#"{"properties": {"a": {"items": {"type": "integer"}}}}"#, #"{\"a\": [1, \"x\"]}"#),
      #"[1].content: The answer does not fit its schema: 'a[1]' is "x", where the schema says "type": "integer"."#
    ),
    BrokenLine(
      .uncheckedSchema, asking(#"{"type": "dict"}"#, "1"),
      "The schema of an answer is not held against anything, here or on later lines: "
        + "The schema has the type 'dict' at #, which there is not; use object, array, string, integer, number, boolean or null."
    ),
  ]

  private static func asking(_ schema: String, _ answer: String) -> String {
    #"[{"role": "user", "content": "Q", "response_format": {"type": "json_schema", "json_schema": {"schema": \#(schema)}}}, "#
      + #"{"role": "assistant", "content": "\#(answer)"}]"#
  }

  private static func calling(_ arguments: String, _ parameters: String) -> String {
    #"{"messages": [\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": \#(arguments)}}]}], "#
      + #""tools": [{"type": "function", "function": {"name": "f", "parameters": \#(parameters)}}]}"#
  }

  private static let pairs = [
    BrokenLine(
      .missingOfPair, #"{"prompt": "Q", "chosen": "A"}"#, "The pair has no 'rejected'."),
    BrokenLine(
      .missingOfPair, #"{"rejected": "B"}"#, "The pair has no 'prompt' and no 'chosen'."),
    BrokenLine(
      .ambiguousForm, #"{"prompt": "Q", "completion": "A", "rejected": "B"}"#,
      "The line has keys of several forms: prompt, completion, rejected."),
    BrokenLine(
      .pairShape, #"{"prompt": 7, "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt is an integer, not a text or messages."),
    BrokenLine(
      .pairShape, #"{"prompt": [], "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt has no messages."),
    BrokenLine(
      .pairShape, #"{"prompt": [\#(user), \#(answer)], "chosen": "A", "rejected": "B"}"#,
      "prompt: The prompt ends with a message of the assistant."),
    BrokenLine(
      .messageShape, #"{"prompt": [7], "chosen": "A", "rejected": "B"}"#,
      "prompt[0]: The message is an integer, not an object."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": {}, "rejected": "B"}"#,
      "chosen: The chosen answer is an object, not a text or a message."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": "A", "rejected": [\#(user), \#(answer)]}"#,
      "rejected: The rejected answer has 2 messages, not one."),
    BrokenLine(
      .pairShape, #"{"prompt": "Q", "chosen": [\#(user)], "rejected": "B"}"#,
      "chosen[0].role: The chosen answer is a message of the user."),
    BrokenLine(
      .order, #"{"prompt": [\#(user), \#(user)], "chosen": "A", "rejected": "B"}"#,
      "prompt[1].role: Two messages of the user follow one another."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "chosen": " ", "rejected": "B"}"#,
      "chosen: The answer is empty."),
    BrokenLine(
      .emptyAnswer, #"{"prompt": "Q", "chosen": "A", "rejected": ""}"#,
      "rejected: The answer is empty."),
    BrokenLine(
      .equalAnswers, #"{"prompt": "Q", "chosen": "A", "rejected": [\#(answer)]}"#,
      "rejected: The chosen and the rejected answer are the same."),
    BrokenLine(
      .equalAnswers,
      #"{"prompt": "Q", "chosen": "A", "rejected": [{"role": "assistant", "content": "A", "weight": 0}]}"#,
      "rejected: The chosen and the rejected answer are the same."),
    BrokenLine(
      .notToLearn,
      #"{"prompt": "Q", "chosen": [{"role": "assistant", "content": "A", "weight": 0}], "rejected": "B"}"#,
      "chosen[0].weight: The weight is 0: the answer is not to be learnt."),
    BrokenLine(
      .notToLearn,
      #"{"prompt": "Q", "chosen": [{"role": "assistant", "content": "A", "train": false}], "rejected": "B"}"#,
      "chosen[0].train: The train is false: the answer is not to be learnt."),
    BrokenLine(
      .strayCall,
      #"""
      {"prompt": "Q", "chosen": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], \#
      "rejected": "B", "tools": [{"name": "g"}]}
      """#, "chosen[0].tool_calls[0]: The call is of 'f', which is not among the tools."),
  ]

  private static let tools = [
    BrokenLine(
      .tools, #"{"messages": [\#(user), \#(answer)], "tools": "none"}"#,
      "tools: The tools are a string, not a list of objects."),
    BrokenLine(
      .tools, #"[\#(user), {"role": "assistant", "content": "A", "tools": [{}]}]"#,
      "[1].tools: Tools stand on another message than the first."),
    BrokenLine(
      .calls, #"[{"role": "user", "content": "Q", "tool_calls": [1]}, \#(answer)]"#,
      "[0].tool_calls: Calls stand in a message of the user."),
    BrokenLine(
      .calls, #"[\#(user), {"role": "assistant", "content": "A", "tool_calls": {}}]"#,
      "[1].tool_calls: The calls are an object, not a list."),
    BrokenLine(
      .calls, #"[\#(user), {"role": "assistant", "content": null, "tool_calls": [{"name": "f"}]}]"#,
      "[1].tool_calls[0]: The call has no function with name and arguments."),
    BrokenLine(
      .calls,
      #"[\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{\"k\": "}}]}]"#,
      "[1].tool_calls[0].function.arguments: The arguments of 'f' are a text that is no JSON."),
    BrokenLine(
      .hugeNumber,
      #"[\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {"x": [1, 1E400]}}}]}]"#,
      "[1].tool_calls[0].function.arguments: The number 1E400 is too large: templates write numbers as doubles."
    ),
    BrokenLine(
      .hugeNumber,
      #"{"messages": [\#(user), \#(answer)], "tools": [{"name": "f", "limit": -1e999}]}"#,
      "tools: The number -1e999 is too large: templates write numbers as doubles."),
    BrokenLine(
      .strayCall,
      #"[\#(user), \#(answer), {"role": "tool", "tool_call_id": "9", "content": "r"}, \#(answer)]"#,
      "[2].tool_call_id: The result is of the call '9', which no message before it makes."),
    BrokenLine(
      .strayCall,
      #"""
      {"messages": [\#(user), {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}], \#
      "tools": [{"type": "function", "function": {"name": "g"}}]}
      """#, "messages[1].tool_calls[0]: The call is of 'f', which is not among the tools."),
    BrokenLine(
      .callOffSchema, calling(#"{"x": "1"}"#, #"{"properties": {"x": {"type": "integer"}}}"#),
      "messages[1].tool_calls[0].function.arguments: "
        + #"The arguments of 'f' do not fit its schema: 'x' is "1", where the schema says "type": "integer"."#
    ),
    BrokenLine(
      .callOffSchema,
      calling(#""{\"y\": 1}""#, #"{"properties": {"x": {}}, "additionalProperties": false}"#),
      "messages[1].tool_calls[0].function.arguments: "
        + "The arguments of 'f' do not fit its schema: 'y' is there, which the schema does not allow."
    ),
    BrokenLine(
      .uncheckedSchema, calling("{}", #"{"type": "dict"}"#),
      "The schema of 'f' is not held against anything, here or on later lines: "
        + "The schema has the type 'dict' at #, which there is not; use object, array, string, integer, number, boolean or null."
    ),
    BrokenLine(
      .responseFormat, #"[\#(user), {"role": "assistant", "content": "A", "response_format": {}}]"#,
      "[1].response_format: The format stands on a message of the assistant."),
    BrokenLine(
      .responseFormat,
      #"[{"role": "user", "content": "Q", "response_format": {"type": "json_object"}}, \#(answer)]"#,
      "[0].response_format: The format is not of type json_schema with a schema."),
  ]
}
