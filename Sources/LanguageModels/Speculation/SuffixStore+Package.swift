package import Adapters
import SystemFiles

extension SuffixTexts {
  /// The texts of a package, in tokens of `model`, which has to have a tokenizer.
  package init(_ texts: [Text], for model: BaseModel) throws {
    guard let vocabulary = VocabularyDigest(model.file) else {
      throw BaseModelError.missingKey(file: model.path, key: "tokenizer.ggml.tokens")
    }
    try self.init(texts, vocabularySize: vocabulary.count, vocabularyDigest: vocabulary.hex)
  }
}

extension SuffixStore {
  /// The texts of packages in one store; what is beyond ``tokenLimit`` is left out.
  ///
  /// Nil where there are none.
  init?(_ packages: [SuffixTexts]) {
    var size = 0
    let texts = packages.flatMap(\.texts).prefix { text in
      size += text.tokens.count
      return size <= Self.tokenLimit
    }
    guard !texts.isEmpty, let vocabulary = packages.map(\.vocabularySize).max(),
      // A package has been checked for all of this.
      let store = try? SuffixStore(Array(texts), vocabularySize: vocabulary)
    else { return nil }
    self = store
  }
}

extension Speculation {
  /// What the packages of `adapters` carry: their suffix stores together, and the first draft model.
  ///
  /// - Throws: What is wrong with the draft model, or with it for this base.
  public init(
    _ adapters: [AppliedAdapter], for model: BaseModel, costs: PassCosts? = nil
  ) throws(BaseModelError) {
    let packages = adapters.compactMap(\.source)
    var draft: DraftModel?
    if let path = packages.lazy.compactMap(\.draftModelPath).first {
      draft = try DraftModel(path: path, for: model)
    }
    self.init(store: SuffixStore(packages.compactMap(\.suffixes)), draft: draft, costs: costs)
  }
}

extension CheckReport {
  /// The report with what only opening shows of the package's draft model: whether each layer has its tensors.
  ///
  /// Nothing is opened that a rule has been broken by already.
  package func openingDraft() -> CheckReport {
    let path = FilePath.join(package, PackageFile.draftModel)
    let isKnownBad = errors.contains { $0.place.file == PackageFile.draftModel }
    guard !isKnownBad, FileSystem.kind(of: path) == .file else { return self }
    do throws(BaseModelError) {
      _ = try BaseModel(path: path, isDraft: true)
      return self
    } catch {
      let finding = Finding(
        "draft.layers", at: .init(PackageFile.draftModel), "\(error.text.problem).",
        remedy: "Copy or export the draft model again, or remove it.")
      return CheckReport(package: package, findings: findings + [finding])
    }
  }
}
