public import SystemFiles

/// The ways in which a chat, or a base for it, can be wrong.
public enum ChatDefect: Error, Equatable, Sendable {
  /// The file says nothing about chats.
  case noTemplate(file: String)
  /// The template in the file is not text.
  case unreadableTemplate(FileError)
  /// The template in the file cannot be parsed.
  case brokenTemplate(file: String, JinjaError)
  /// The template of the base ends with an error, or refuses the chat.
  case failedTemplate(JinjaError)
  /// The vocabulary lacks a token that the format needs.
  case missingMark(ChatFormat, mark: String)
  /// There is nothing to answer.
  case noMessages
  /// Instructions that are not the first message.
  case misplacedSystem(index: Int)
  /// A message that must not follow the one before it; `after` is nil for the first.
  case wrongOrder(index: Int, role: ChatRole, after: ChatRole?)
  /// The last message is one of the assistant, so nothing is left to answer.
  case nothingToAnswer
  /// A role that the format has no place for.
  case unsupportedRole(ChatFormat, ChatRole)
  /// Tools or calls of them, for which the format has no place; nil for the template of the base.
  case unsupportedTools(ChatFormat?)
  /// An answer that makes several calls at once, where a call is all of an answer.
  case severalCalls(index: Int)
  /// Two tools have one name.
  case duplicateTool(String)
  /// A tool's name is empty, or has a character that no format could write as it is.
  case unusableToolName(String)
  /// An answer that the template leaves out, so that nothing can be learnt of it.
  case missingAnswer(index: Int)
}

extension ChatDefect: ExplainedError {
  /// A sentence with a full stop, but for what is wrong in a file's format.
  public var description: String {
    if case .unreadableTemplate = self { text.description } else { "\(text)." }
  }

  /// One sentence that names the place, and the remedy where there is one.
  public var text: ErrorText {
    switch self {
    case .noTemplate(let file):
      "\(file): the file has no chat template"
        + "\(remedy: "name a format: \(ChatFormat.names)")"
    case .unreadableTemplate(let error): "\(error)"
    case .brokenTemplate(let file, let error):
      "\(file): the chat template is wrong in \(error)"
        + "\(remedy: "name a format: \(ChatFormat.names)")"
    case .failedTemplate(let error):
      if case .raised(let message) = error.fault {
        "The base's chat template refuses the chat in line \(error.line): \(message)"
          + "\(remedy: "change the messages, or name a format: \(ChatFormat.names)")"
      } else {
        "The base's chat template fails in \(error)"
          + "\(remedy: "name a format: \(ChatFormat.names)")"
      }
    case .missingMark(let format, let mark):
      "The chat format \(format.rawValue) needs the token \(mark), which the vocabulary lacks"
        + "\(remedy: "name another one: \(ChatFormat.names)")"
    case .noMessages:
      "The chat has no messages\(remedy: "start with one of the user")"
    case .misplacedSystem(let index):
      "Message \(index + 1) of the chat is of the system; only the first may be"
    case .wrongOrder(let index, let role, let after?):
      "Message \(index + 1) of the chat is of the \(role.rawValue), which must not follow one of the "
        + "\(after.rawValue); user and assistant take turns"
    case .wrongOrder(let index, let role, nil):
      "Message \(index + 1) of the chat is of the \(role.rawValue); the user has to speak first"
    case .nothingToAnswer:
      "The last message of the chat is not one of the user or a tool, so there is nothing to answer"
    case .unsupportedRole(let format, let role):
      "The chat format \(format.rawValue) has no \(role.rawValue) messages"
    case .unsupportedTools(let format?):
      "The chat format \(format.rawValue) has no known place for tools and their calls"
    case .unsupportedTools(nil):
      "The base's chat template has no place for tools and their calls"
    case .severalCalls(let index):
      "Message \(index + 1) of the chat makes several calls at once, and the base, whose template has no place for tools, makes one in "
        + "an answer\(remedy: "give each call a message of its own, with its result behind it")"
    case .duplicateTool(let name):
      "Two tools are named '\(name)'\(remedy: "rename one")"
    case .unusableToolName(let name):
      "'\(name)' cannot be the name of a tool\(remedy: "use letters, digits and underscores")"
    case .missingAnswer(let index):
      "The base's chat template leaves out message \(index + 1), which is an answer to learn"
        + "\(remedy: "name a format: \(ChatFormat.names)")"
    }
  }
}
