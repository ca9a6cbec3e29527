public import SystemFiles

/// The ways in which an importance matrix can be wrong, by itself or for a base.
public enum ImportanceDefect: Error, Equatable, Sendable {
  /// The old form ends, or says what cannot be, at a byte.
  case notAMatrix(offset: Int)
  /// There is none of any tensor.
  case noEntries
  /// Metadata that the form of today has are missing.
  case missingKey(String)
  /// There are sums without counts, or counts without sums.
  case unpaired(String)
  /// Sums or counts are not in F32.
  case wrongType(String, type: String)
  /// There are more counts than matrices, or others.
  case wrongCounts(String, counts: Int, values: Int)
  /// A sum or a count is negative, infinite or no number.
  case badValue(String, index: Int)
  /// Nothing is known of a tensor that is to be quantized by it.
  case missingEntry(String)
  /// A tensor of the base has another number of inputs.
  case wrongSize(String, expected: Int, actual: Int)
  /// There is an entry of a layer's tensor that the base does not have.
  case otherModel(String, base: String)
}

extension ImportanceDefect: ExplainedError {
  /// What is wrong, without the file, and what to do about it.
  public var text: ErrorText {
    let again = "make it again"
    return switch self {
    case .notAMatrix(let offset):
      "byte \(Figures.grouped(offset)): this is not an importance matrix, or it is damaged"
        + "\(remedy: again)"
    case .noEntries: "the importance matrix has no entries\(remedy: again)"
    case .missingKey(let key):
      "the metadata key '\(key)' of an importance matrix is missing\(remedy: again)"
    case .unpaired(let name):
      "of '\(name)' there are only sums or only counts\(remedy: again)"
    case .wrongType(let name, let type):
      "'\(name)' is stored as \(type), but has to be F32\(remedy: again)"
    case .wrongCounts(let name, let counts, let values):
      "of '\(name)' there are \(Figures.grouped(counts)) counts for \(Figures.grouped(values)) sums"
        + "\(remedy: again)"
    case .badValue(let name, let index):
      "value \(Figures.grouped(index)) of '\(name)' is negative, infinite or not a number"
        + "\(remedy: again)"
    case .missingEntry(let tensor):
      "there is no entry of the tensor '\(tensor)'\(remedy: "make one from this base")"
    case .wrongSize(let tensor, let expected, let actual):
      "the entry of '\(tensor)' has \(Figures.grouped(actual)) values, but the base asks for "
        + "\(Figures.grouped(expected))\(remedy: "make one from this base")"
    case .otherModel(let tensor, let base):
      "there is an entry of '\(tensor)', which \(base) does not have, so it is of another model"
        + "\(remedy: "make one from this base")"
    }
  }
}
