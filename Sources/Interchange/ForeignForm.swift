import SystemFiles

/// A form of adapters that other programs write and read.
public enum ForeignForm: String, CaseIterable, Sendable {
  /// A folder of PEFT, as Hugging Face's libraries keep adapters.
  case peft
  /// A LoRA in GGUF, as llama.cpp takes it.
  case gguf
  /// A folder of mlx-lm.
  case mlx
  /// A checkpoint of Apple's toolkit; it is only read.
  case toolkit

  /// What people call it.
  public var title: String {
    switch self {
    case .peft: "PEFT"
    case .gguf: "llama.cpp"
    case .mlx: "mlx-lm"
    case .toolkit: "Apple's toolkit"
    }
  }
}

extension ForeignForm {
  static let configurationName = "adapter_config.json"
  static let peftWeights = "adapter_model.safetensors"
  /// What PEFT wrote before; only read.
  static let pickledWeights = "adapter_model.bin"
  static let mlxWeights = "adapters.safetensors"

  /// The form of what stands at `path`, told by the first bytes of a file or by the names in a folder.
  ///
  /// - Throws: `InterchangeError.unknownForm`, `.isPackage`, `.missingFile` or `.file`.
  public init(of path: String) throws(InterchangeError) {
    guard FileSystem.isDirectory(following: path) else {
      self = try Self.form(ofFile: path)
      return
    }
    let names = try filing { () throws(FileError) in
      try FileSystem.list(path).map { "\($0.name)" }
    }
    guard !names.contains("adapter_weights.bin") else { throw .isPackage(path: path) }
    let weights: [(name: String, form: ForeignForm)] = [
      (Self.peftWeights, .peft), (Self.mlxWeights, .mlx), (Self.pickledWeights, .peft),
    ]
    guard let found = weights.first(where: { names.contains($0.name) }) else {
      guard names.contains(Self.configurationName) else {
        throw .unknownForm(path: path, found: names)
      }
      throw .missingFile(folder: path, name: "\(Self.peftWeights) or \(Self.mlxWeights)")
    }
    guard names.contains(Self.configurationName) else {
      throw .missingFile(folder: path, name: Self.configurationName)
    }
    self = found.form
  }

  /// Where the factors are of an adapter at `path`.
  func weightsPath(in path: String) -> String {
    switch self {
    case .peft:
      [Self.peftWeights, Self.pickledWeights].map { FilePath.join(path, $0) }
        .first { FileSystem.kind(of: $0) != nil } ?? FilePath.join(path, Self.peftWeights)
    case .mlx: FilePath.join(path, Self.mlxWeights)
    case .gguf, .toolkit: path
    }
  }

  private static func form(ofFile path: String) throws(InterchangeError) -> ForeignForm {
    let first = try filing { () throws(FileError) in
      let file = try FileReader(path: path)
      return try file.read(0..<min(4, file.size))
    }
    switch first {
    case Array("GGUF".utf8): return .gguf
    case [0x50, 0x4B, 3, 4]: return .toolkit
    default: throw .unknownForm(path: path, found: ["a file of another kind"])
    }
  }
}
