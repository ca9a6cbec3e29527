import Kernels
import SystemFiles
package import TensorFiles

/// A draft model is one that can run here, guesses the base's tokens, and is smaller than it.
///
/// Whether every layer has its tensors shows when the model is opened; here is what a model does not know of itself.
enum DraftModelRule {
  /// The architectures that the forward pass knows.
  static let architectures = [
    "afm", "gemma2", "gemma3", "gemma4", "granite", "lfm2", "llama", "phi3", "qwen2", "qwen3",
    "qwen35", "qwen3moe", "smollm3",
  ]
  /// The tokens of the rows of `output.weight`, where those are not all.
  static let tokensKey = "fmadapter.draft.tokens"

  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    switch package.draftModel {
    case nil: []
    case .failure(let error):
      [
        Finding(
          "draft.model", at: .init(PackageFile.draftModel), "\(error.text.problem).",
          remedy: error == .isPointer(path: error.path)
            ? error.remedySentence ?? "" : "Copy or export the draft model again, or remove it.")
      ]
    case .success(let file):
      architecture(file) + tokens(file) + heads(file) + vocabulary(file, package.baseFile)
        + size(file, package.baseFile) + values(file)
    }
  }

  private static func finding(
    _ rule: String, category: Finding.Category = .package, key: String? = nil,
    tensor: GGUFTensor? = nil, _ message: String, remedy: String
  ) -> Finding {
    Finding(
      rule, .error, category,
      at: .init(
        PackageFile.draftModel, key: key, tensor: tensor.map { printable($0.name) },
        offset: tensor?.fileOffset), message, remedy: remedy)
  }

  private static func architecture(_ file: GGUFFile) -> [Finding] {
    let key = "general.architecture"
    let name = (try? file.metadata.string(key)) ?? nil
    guard name.map(architectures.contains) != true else { return [] }
    return [
      finding(
        "draft.architecture", key: key,
        name.map { "The architecture is \(printable(String($0.prefix(40))))." }
          ?? "The file does not say its architecture.",
        remedy: "Use a model of \(architectures.choice).")
    ]
  }

  /// The table of the tokens that it can propose rises, within the vocabulary.
  private static func tokens(_ file: GGUFFile) -> [Finding] {
    guard file.metadata[tokensKey] != nil else { return [] }
    let rows = file.tensor(named: "token_embd.weight")?.rows ?? 0
    let remedy =
      "Export the draft again: the table names a token of the base for each row of output.weight."
    guard let tokens = (try? file.metadata.integers(tokensKey)) ?? nil, !tokens.isEmpty else {
      return [
        finding(
          "draft.tokens", key: tokensKey, "The value is no list of tokens.", remedy: remedy)
      ]
    }
    var last = -1
    for (index, token) in tokens.enumerated() {
      guard token > last, token < rows else {
        return [
          finding(
            "draft.tokens", key: tokensKey,
            "Entry \(Figures.grouped(index)) is the token \(Figures.grouped(token)) "
              + (token <= last
                ? "after \(Figures.grouped(last))." : "of \(Figures.grouped(rows))."),
            remedy: remedy)
        ]
      }
      last = token
    }
    return []
  }

  /// There is an embedding, and an output for each token that can be proposed.
  private static func heads(_ file: GGUFFile) -> [Finding] {
    guard let embedding = file.tensor(named: "token_embd.weight") else {
      return [
        finding(
          "draft.tensor", "The tensor token_embd.weight is missing.",
          remedy: "Copy or export the draft model again, or remove it.")
      ]
    }
    let tokens = (try? file.metadata.integers(tokensKey)) ?? nil
    let wanted = tokens?.count ?? embedding.rows
    // Where there is none, the embedding is the head.
    let output = file.tensor(named: "output.weight")
    guard (output?.rows ?? embedding.rows) != wanted else { return [] }
    return [
      finding(
        "draft.tensor", tensor: output ?? embedding,
        "There are \(Figures.grouped(output?.rows ?? embedding.rows)) outputs for \(Figures.grouped(wanted)) tokens.",
        remedy: "Copy or export the draft model again, or remove it.")
    ]
  }

  /// Its tokens are those of the base, one by one.
  private static func vocabulary(_ file: GGUFFile, _ base: GGUFFile?) -> [Finding] {
    let key = VocabularyDigest.key
    let remedy = "Use a draft with the tokenizer of the base."
    let pieces = (try? file.metadata.strings(key)) ?? nil
    let known = base.flatMap { (try? $0.metadata.strings(key)) ?? nil }
    guard let pieces else {
      guard base == nil || known != nil else { return [] }
      return [
        finding(
          "draft.vocabulary", key: key, "The file has no tokens to compare with the base's.",
          remedy: remedy)
      ]
    }
    guard let base, let defect = difference(file, pieces, base, known) else { return [] }
    return [finding("draft.vocabulary", category: .compatibility, key: key, defect, remedy: remedy)]
  }

  private static func difference(
    _ file: GGUFFile, _ pieces: GGUFStrings, _ base: GGUFFile, _ known: GGUFStrings?
  ) -> String? {
    guard let known else {
      return "There are \(Figures.grouped(pieces.count)) tokens; the base has none."
    }
    switch RealTokens(pieces, file).difference(from: RealTokens(known, base)) {
    case nil: break
    case .token(let token):
      return "Token \(Figures.grouped(token)) is another one than the base's."
    case .count(let count, let other):
      return "There are \(Figures.grouped(count)) tokens; the base has \(Figures.grouped(other))."
    }
    guard let rows = file.tensor(named: "token_embd.weight")?.rows else { return nil }
    let count = RealTokens(pieces, file).count
    guard count > rows else { return nil }
    return "The embedding has \(Figures.grouped(rows)) rows for \(Figures.grouped(count)) tokens."
  }

  private static func size(_ file: GGUFFile, _ base: GGUFFile?) -> [Finding] {
    guard let base else { return [] }
    let (size, limit) = (file.parameterCount, base.parameterCount)
    guard size > limit else { return [] }
    return [
      finding(
        "draft.larger", category: .compatibility,
        "The draft has \(Figures.grouped(size)) parameters, more than the \(Figures.grouped(limit)) of the base.",
        remedy: "Use a smaller one: this one takes longer to guess than the base to know.")
    ]
  }

  /// No value is infinite or not a number.
  private static func values(_ file: GGUFFile) -> [Finding] {
    file.tensors.compactMap { tensor in
      guard let index = firstOddValue(tensor) else { return nil }
      return finding(
        "draft.values", tensor: tensor,
        "Value \(Figures.grouped(index)) is infinite or not a number.",
        remedy: "Export the draft model again, or remove it.")
    }
  }

  private static func firstOddValue(_ tensor: GGUFTensor) -> Int? {
    let type = tensor.type
    // About a megabyte of values at a time.
    let step = max(1, (1 << 18) / type.blockLength) * type.blockBytes
    for start in stride(from: 0, to: tensor.bytes.count, by: step) {
      let part = tensor.bytes.slice(start..<min(start + step, tensor.bytes.count))
      let values = dequantize(type, bytes: part)
      if let odd = values.firstIndex(where: { !$0.isFinite }) {
        return start / type.blockBytes * type.blockLength + odd
      }
    }
    return nil
  }
}

extension GGUFFile {
  /// Values of all tensors.
  package var parameterCount: Int { tensors.reduce(0) { $0 + $1.count } }
}
