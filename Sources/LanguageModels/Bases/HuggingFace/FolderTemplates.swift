import JSON
import SystemFiles
import TensorFiles

/// The chat templates in a Hugging Face folder, where transformers looks for them: files go before settings.
struct FolderTemplates {
  /// Bytes of a name, which becomes a part of a key.
  private static let nameLimit = 255

  /// That of chats for which there is no other.
  fileprivate let standard: String?
  /// For chats with something particular, by what that is; the only one that is read is `tool_use`.
  private let others: [(name: String, template: String)]

  /// - Throws: `BaseModelError.base` for templates of which none is for all chats, or long names.
  init(
    _ folder: String, _ configuration: CheckpointSettings?
  ) throws(BaseModelError) {
    let file = try Self.text(FilePath.join(folder, "chat_template.jinja"))
    var named: [(name: String, template: String)] = []
    if file == nil, let configuration {
      named = try Self.listed(configuration)
    }
    let older = try CheckpointSettings.ifPresent(FilePath.join(folder, "chat_template.json"))
    standard =
      file ?? configuration?.string("chat_template")
      ?? named.first { $0.name == "default" }?.template ?? older?.string("chat_template")
    others =
      try named.filter { $0.name != "default" }
      + Self.additional(FilePath.join(folder, "additional_chat_templates"))
    guard standard != nil || others.isEmpty else {
      let names = others.map { "“\($0.name)”" }.joined(separator: ", ")
      throw .base(
        .badSetting(key: "chat_template", rule: "has \(names), but no “default”"),
        file: configuration?.path ?? folder)
    }
  }

  /// Those in a list among the settings.
  private static func listed(
    _ configuration: CheckpointSettings
  ) throws(BaseModelError) -> [(name: String, template: String)] {
    let entries = configuration.value("chat_template")?.array?.compactMap(\.object) ?? []
    return try entries.map { entry throws(BaseModelError) in
      guard let name = entry["name"]?.string, let template = entry["template"]?.string else {
        throw configuration.bad("chat_template", "has an entry without name or template")
      }
      guard name.utf8.count <= nameLimit else {
        throw configuration.bad("chat_template", "has a name of more than \(nameLimit) bytes")
      }
      return (name, template)
    }
  }

  func set(on head: inout GGUFWriter) {
    guard let standard else { return }
    head.set("tokenizer.chat_template", .text(standard))
    guard !others.isEmpty else { return }
    head.set("tokenizer.chat_templates", .strings(others.map { Array($0.name.utf8) }))
    for (name, template) in others {
      head.set("tokenizer.chat_template.\(name)", .text(template))
    }
  }

  /// Those in files of their own, by the names of these.
  private static func additional(
    _ folder: String
  ) throws(BaseModelError) -> [(name: String, template: String)] {
    guard FileSystem.kind(of: folder) == .directory else { return [] }
    var found: [(name: String, template: String)] = []
    do throws(FileError) {
      for entry in try FileSystem.list(folder) where entry.name.hasSuffix(".jinja") {
        let path = try FilePath.join(folder, entry.name)
        let text = String(decoding: try FileSystem.read(path, limit: 1 << 20), as: UTF8.self)
        found.append((String(FilePath.name(of: path).dropLast(6)), text))
      }
    } catch {
      throw .file(error)
    }
    return found.sorted { $0.name < $1.name }
  }

  private static func text(_ path: String) throws(BaseModelError) -> String? {
    guard FileSystem.kind(of: path) != nil else { return nil }
    do { return String(decoding: try FileSystem.read(path, limit: 1 << 20), as: UTF8.self) } catch {
      throw .file(error)
    }
  }
}

extension BaseModel {
  /// Whether the folder of an adapter has a chat template, and another one than this base.
  package func hasOtherTemplate(than folder: String) throws(BaseModelError) -> Bool {
    let configuration = try CheckpointSettings.ifPresent(
      FilePath.join(folder, "tokenizer_config.json"), limit: 8 << 20)
    guard let template = try FolderTemplates(folder, configuration).standard else { return false }
    let own: String?
    do { own = try file.metadata.string("tokenizer.chat_template") } catch {
      throw .file(error)
    }
    return own?.trimmed != template.trimmed
  }
}
