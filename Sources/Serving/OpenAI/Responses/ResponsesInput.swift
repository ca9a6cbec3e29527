import ChatTemplates
import JSON

/// The instructions and the input of a request for a response, as messages of a chat.
struct ResponsesInput {
  let messages: [ChatMessage]

  /// - Throws: `.invalidRequest` for the first field that is wrong.
  init(_ fields: RequestReader) throws(ServingError) {
    var chat = OpenAIChat()
    if let text = try fields.string("instructions"), !text.isEmpty { chat.instruct(text) }
    fields.describe("input", .schema("string"), .schema("array"))
    let input = try fields.required("input", fields["input"])
    if let text = input.string {
      chat.append(ChatMessage(role: .user, content: text))
    } else if input.array != nil {
      for item in try fields.objects("input") ?? [] { try Self.add(item, to: &chat) }
    } else {
      throw .invalid("input", "this has to be a text, or an array of items.")
    }
    messages = try chat.whole("input")
  }

  private static func add(_ item: RequestReader, to chat: inout OpenAIChat) throws(ServingError) {
    switch try item.string("type") ?? "message" {
    case "message": try add(message: item, to: &chat)
    case "function_call":
      let call = ChatToolCall(
        id: try item.required("call_id", item.string("call_id")),
        name: try item.required("name", item.string("name")), arguments: try item.arguments())
      chat.answer { $0.toolCalls.append(call) }
    case "function_call_output":
      let id = try item.required("call_id", item.string("call_id"))
      let output = try item.required(
        "output", item.text("output", parts: ["input_text": "text"]))
      chat.append(output, resultOf: id)
    case "reasoning": try add(thoughts: item, to: &chat)
    case let type:
      throw .invalid(
        item.place("type"),
        "items of the type '\(type.prefix(64))' are not supported, only message, function_call, "
          + "function_call_output and reasoning.")
    }
  }

  private static func add(
    message: RequestReader, to chat: inout OpenAIChat
  ) throws(ServingError) {
    let role = try message.required(
      "role", message.word("role", ["system", "developer", "user", "assistant"]))
    // The texts of a phase are read like any other.
    _ = try message.word("phase", ["commentary", "final_answer"])
    let kinds = ["input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"]
    let text = try message.required("content", message.text("content", parts: kinds))
    switch role {
    case "user": chat.append(ChatMessage(role: .user, content: text))
    case "assistant": chat.answer { add(text, to: &$0.content) }
    default: chat.instruct(text)
    }
  }

  private static func add(
    thoughts item: RequestReader, to chat: inout OpenAIChat
  ) throws(ServingError) {
    try item.refuse(["encrypted_content"])
    let content = try item.text("content", parts: ["reasoning_text": "text"]) ?? ""
    let summary = try item.text("summary", parts: ["summary_text": "text"]) ?? ""
    let text = content.isEmpty ? summary : content
    guard !text.isEmpty else { return }
    chat.answer { said in
      if said.thoughts == nil { said.thoughts = text } else { said.thoughts?.append("\n" + text) }
    }
  }

  private static func add(_ text: String, to content: inout String) {
    content += content.isEmpty || text.isEmpty ? text : "\n" + text
  }
}
