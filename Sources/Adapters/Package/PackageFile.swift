/// The names of the files of a package.
public enum PackageFile {
  /// Who the adapter is and which base it needs.
  public static let metadata = "metadata.json"
  /// The low-rank pairs, in MIL blob storage.
  public static let weights = "adapter_weights.bin"
  /// Apple's draft model, a MIL program in text.
  public static let draftProgram = "draft.mil"
  /// The weights of Apple's draft model, in MIL blob storage.
  public static let draftWeights = "draft_weights.bin"
  /// Our draft model: a whole small model.
  public static let draftModel = "draft.gguf"

  /// The end of a package's name.
  public static let suffix = ".fmadapter"
  /// The files that every package has.
  package static let required = [metadata, weights]
  /// The files that belong in a package.
  package static let known = [metadata, weights, draftProgram, draftWeights, draftModel]
}
