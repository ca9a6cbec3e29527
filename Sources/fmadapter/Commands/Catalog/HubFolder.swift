import AdapterStore
import Adapters
import Interchange
import JSON
import SystemFiles

/// A repository of the Hugging Face Hub as a folder: the package, the adapter as PEFT has it, and a model card.
///
/// The card's head is what <https://huggingface.co/docs/hub/model-cards> says; `PeftModel.from_pretrained` and
/// `fmadapter install hf:…` each find their own in it.
struct HubFolder {
  let export: ExportedAdapter
  let metadata: AdapterMetadata
  /// Path of the package.
  let package: String

  /// Name of the package in the folder.
  private var packageName: String { metadata.adapterIdentifier.name + PackageFile.suffix }

  /// Writes the folder at `path`, complete or not at all; one that stands there is replaced where `replacing`.
  func write(to path: String, replacing: Bool, for base: BaseContract) throws {
    let path = FilePath.trimmed(path)
    let isThere = try FileSystem.info(path) != nil
    guard !isThere || replacing else {
      throw Failure(
        .usage, "\(path) exists\(remedy: "give another path, or --replace to replace it")")
    }
    if isThere { try Self.refuseOther(path) }
    let made = FilePath.sibling(of: path)
    do {
      try export.write(to: made)
      try AdapterWriter.copy(package, to: FilePath.join(made, packageName), for: base)
      try AtomicFile.write(Array(text.utf8), to: FilePath.join(made, Self.card))
      try AdapterWriter.publish(made, at: path, replacing: isThere)
    } catch {
      if let fault = error as? AdapterError {
        AdapterWriter.discard(made, after: fault)
      } else {
        try? FileSystem.removeTree(made)
      }
      throw error
    }
  }

  static let card = "README.md"

  /// Refuses to replace what is no such folder.
  private static func refuseOther(_ path: String) throws {
    let isOne =
      Library.exists(FilePath.join(path, card))
      && Library.exists(FilePath.join(path, "adapter_config.json"))
    guard isOne else {
      throw Failure(
        .usage, "\(path) is no folder of an adapter for the hub\(remedy: "give another path")")
    }
  }
}

// The card.
extension HubFolder {
  /// The whole text.
  var text: String {
    let name = metadata.adapterIdentifier.name
    let about = metadata.description.map { "\n" + $0.trimmed + "\n" } ?? ""
    return """
      ---
      \(head.joined(separator: "\n"))
      ---

      # \(name)
      \(about)
      A low-rank adapter of rank \(metadata.loraRank) for the base `\(metadata.baseModelSignature.prefix(7))`\
      \(export.baseModel.map { " (`\($0)`)" } ?? "").

      - `\(packageName)` is for fmadapter: `fmadapter install hf:OWNER/REPO`
      - `adapter_config.json` and `adapter_model.safetensors` are for PEFT: `PeftModel.from_pretrained(model, "OWNER/REPO")`
      \(figures)
      """
  }

  /// Lines of YAML, whose strings are those of JSON.
  private var head: [String] {
    func quoted(_ text: String) -> String { JSONValue.string(text).line }
    var lines: [String] = []
    let license = (metadata.license ?? "").trimmed
    if let known = Self.licenses[license.lowercased()] {
      lines.append("license: \(known)")
    } else if !license.isEmpty {
      lines += ["license: other", "license_name: \(quoted(license))"]
    }
    if let base = export.baseModel { lines.append("base_model: \(quoted(base))") }
    lines += [
      "library_name: peft", "pipeline_tag: text-generation", "tags:", "- lora", "- fmadapter",
    ]
    let measured = measured
    guard !measured.isEmpty else { return lines }
    lines += [
      "model-index:", "- name: \(quoted(metadata.adapterIdentifier.name))", "  results:",
      "  - task:", "      type: text-generation", "    dataset:",
      "      name: \(quoted(setName))", "      type: \(quoted(setName))", "    metrics:",
    ]
    for metric in measured {
      lines += ["    - type: \(quoted(metric.name))", "      value: \(metric.value)"]
    }
    return lines
  }

  /// Names of licences on the hub by those of SPDX, in small letters.
  private static let licenses: [String: String] = {
    let same = [
      "apache-2.0", "mit", "bsd-2-clause", "bsd-3-clause", "gpl-2.0", "gpl-3.0", "lgpl-3.0",
      "agpl-3.0", "mpl-2.0", "cc0-1.0", "cc-by-4.0", "cc-by-sa-4.0", "cc-by-nc-4.0", "isc",
      "unlicense", "openrail", "gemma", "llama3.2", "llama3.1", "llama3",
    ]
    return Dictionary(uniqueKeysWithValues: same.map { ($0, $0) })
  }()

  private var evaluation: JSONObject? { metadata.statedSettings?.evaluation?.object }

  private var setName: String { evaluation?["set"]?.string ?? "held-out" }

  /// What `eval`, or the training, has measured with the adapter.
  private var measured: [(name: String, value: String, base: String?)] {
    let base = evaluation?["base"]?.object
    return (evaluation?["adapter"]?.object?.members ?? []).compactMap { member in
      member.value.number.map { (member.key, $0.text, base?[member.key]?.number?.text) }
    }
  }

  private var figures: String {
    let measured = measured
    guard !measured.isEmpty else { return "" }
    let lines = measured.map { "| \($0.name) | \($0.value) | \($0.base ?? "") |" }
    let count = evaluation?["lines"]?.integer.map { ", \(Figures.count($0, "line"))" } ?? ""
    return """

      ## Figures

      Measured by `fmadapter eval` on `\(setName)`\(count).

      | | with the adapter | the base alone |
      |---|---|---|
      \(lines.joined(separator: "\n"))

      """
  }
}
