import Kernels
import LanguageModels

/// Options of the commands that write a base.
enum QuantizationOptions {
  static let output = Option(
    "--output", short: "-o", .file, "Where to write the base; it appears complete or not at all")
  static let type = Option("--type", .tensorType, "Type of the weights")
  static let embedding = Option(
    "--embedding-type", .tensorType, "Type of the embedding and the output head, if another")
  /// What to know before choosing Q2_B.
  static let ourOwnType = """
    q2_b, 2.25 bits a weight, is for weights that were trained for its four levels, as Apple's are. \
    It is this program's own: no other reads such a file. The embedding is then q4_0 unless you say \
    otherwise.
    """

  /// The plan that the options ask for.
  static func plan(_ arguments: ParsedArguments, default type: TensorType) -> TensorTypePlan {
    TensorTypePlan(
      type: arguments.value(Self.type) ?? type, embedding: arguments.value(embedding))
  }

  /// The path to write to, which has to be given.
  static func output(_ invocation: Invocation) throws -> String {
    guard let path = invocation.arguments.value(output) else {
      throw invocation.conflict("--output is needed: -o base.gguf")
    }
    return path
  }
}

extension ValueType where Value == TensorType {
  /// A type that can be written, in any case of letters.
  static var tensorType: Self {
    let types = TensorType.allCases.filter(\.isWritable)
    let names = types.map { $0.name.lowercased() }
    return Self(
      placeholder: "type", expectation: "one of " + names.joined(separator: ", "),
      completion: .words(names)
    ) { text in types.first { $0.name.lowercased() == text.lowercased() } }
  }
}
