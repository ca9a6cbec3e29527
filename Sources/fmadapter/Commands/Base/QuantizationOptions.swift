import Kernels
import LanguageModels
import SystemFiles

/// Options of the commands that write a base.
enum QuantizationOptions {
  static let output = Option(
    "--output", short: "-o", .file, "Where to write the base; it appears complete or not at all")
  static let force = Flag("--force", "Replace the file when it exists")
  static let type = Option("--type", .weightType, "Type of the weights")
  static let embedding = Option(
    "--embedding-type", .tensorType, "Type of the embedding and the output head, if another")
  /// What the mixes are.
  static let mixes = """
    q4_k_m, q4_k_s, q5_k_m and q5_k_s make the output head and some layers' values and \
    feed-forward ends finer than the rest, as files of these names are elsewhere.
    """
  /// What to know before choosing Q2_B.
  static let ourOwnType = """
    q2_b, 2.25 bits a weight, is for weights that were trained for its four levels, as Apple's are. \
    It is this program's own: no other reads such a file. The embedding is then q4_0 unless you say \
    otherwise.
    """

  /// The name of the first option about types that was given.
  static func given(_ arguments: ParsedArguments) -> String? {
    arguments.has(type) ? type.name : arguments.has(embedding) ? embedding.name : nil
  }

  /// The plan that the options ask for; F16 without any.
  static func plan(_ arguments: ParsedArguments) -> TensorTypePlan {
    let embedding = arguments.value(embedding)
    return switch arguments.value(type) {
    case .mix(let mix): TensorTypePlan(mix, embedding: embedding)
    case .type(let type): TensorTypePlan(type: type, embedding: embedding)
    case nil: TensorTypePlan(type: .f16, embedding: embedding)
    }
  }

  /// The path to write to, which has to be given; what stands there is replaced only with `--force`.
  static func output(_ invocation: Invocation) throws -> String {
    try path(of: output, example: "base.gguf", invocation)
  }

  /// The same of an option of another command that has `force`.
  static func path(
    of option: Option<String>, example: String, _ invocation: Invocation
  ) throws -> String {
    let path = try invocation.needed(option, "-o \(example)")
    if !invocation.arguments.has(force), try FileSystem.info(path) != nil {
      throw Failure(
        .usage,
        "\(path): exists already\(remedy: "give another path, or --force to replace it")")
    }
    return path
  }
}

/// What weights are written in.
enum WeightType: Sendable {
  case type(TensorType)
  case mix(TensorTypePlan.Mix)
}

extension ValueType where Value == WeightType {
  /// A type that can be written, or a mix of several, in any case of letters.
  static var weightType: Self {
    let types = TensorType.allCases.filter(\.isWritable)
    let choices =
      types.map { ($0.name.lowercased(), WeightType.type($0)) }
      + TensorTypePlan.Mix.allCases.map { ($0.name, .mix($0)) }
    let names = choices.map(\.0)
    return Self(
      placeholder: "type", expectation: "one of " + names.joined(separator: ", "),
      choices: names, completion: .words(names)
    ) { text in choices.first { $0.0 == text.lowercased() }?.1 }
  }
}

extension ValueType where Value == TensorType {
  /// A type that can be written, in any case of letters.
  static var tensorType: Self { type(of: TensorType.allCases.filter(\.isWritable)) }

  /// A type that can be read, in any case of letters.
  static var readableType: Self { type(of: TensorType.allCases) }

  private static func type(of types: [TensorType]) -> Self {
    let names = types.map { $0.name.lowercased() }
    return Self(
      placeholder: "type", expectation: "one of " + names.joined(separator: ", "),
      choices: names, completion: .words(names)
    ) { text in types.first { $0.name.lowercased() == text.lowercased() } }
  }
}
