import Adapters
import FoundationEssentials
import LanguageModels
import SystemFiles

/// What `draft.json` in a directory of `compiled/` says: what it was made from, and so when it is of no more use, and what
/// was measured; beside it may be the draft model in 8 bits.
struct CompiledDraft: CompiledRecord, Equatable {
  /// Version of this file's meaning, and of what is made: 3.
  var formatVersion = Self.version
  /// SHA-256 of the adapter's draft model, or of its suffix store where it has no model, as in the adapter's receipt.
  var draftSHA256: String
  /// Signature of the base that it was compiled for.
  var baseSignature: String
  /// Bytes of that base's file: bases of one signature may be quantized in several ways.
  var baseSize: Int
  /// Name of the processor's instructions that the kernels use.
  var processor: String
  /// How many times as long as a pass of one token one of `index + 1` tokens takes; 16 of them.
  var passRatios: [Double]
  /// Seconds of a pass of one token.
  var secondsPerToken: Double
  /// Seconds that a token of the draft model takes; nil without one.
  var draftSecondsPerToken: Double?
  /// SHA-256 of the draft model that stands beside it in 8 bits; nil where the package's own is quantized already.
  var modelSHA256: String?
  /// Absolute path of the package, if that is none of the store's.
  var packagePath: String?
  /// Absolute path of the base's file, likewise.
  var basePath: String?
  /// When it was made.
  var created: Date
  /// SHA-256 of all the rest.
  private(set) var sha256 = ""

  static let version = 3
  static let fileName = "draft.json"
  static let modelName = "draft.gguf"

  init(
    draftSHA256: String, baseSignature: String, baseSize: Int, processor: String,
    passRatios: [Double], secondsPerToken: Double, draftSecondsPerToken: Double? = nil,
    modelSHA256: String? = nil, packagePath: String? = nil, basePath: String? = nil, created: Date
  ) {
    (self.draftSHA256, self.baseSignature) = (draftSHA256, baseSignature)
    (self.baseSize, self.processor, self.passRatios) = (baseSize, processor, passRatios)
    self.secondsPerToken = secondsPerToken
    (self.draftSecondsPerToken, self.modelSHA256) = (draftSecondsPerToken, modelSHA256)
    (self.packagePath, self.basePath) = (packagePath, basePath)
    self.created = Date(timeIntervalSince1970: created.timeIntervalSince1970.rounded(.down))
    sha256 = digest
  }

  /// Whether the model in `folder` is what was made; true where none was.
  func hasWholeModel(in folder: String) -> Bool {
    guard let modelSHA256 else { return true }
    let path = FilePath.join(folder, Self.modelName)
    return FileSystem.kind(of: path) == .file && (try? SHA256.hex(ofFile: path)) == modelSHA256
  }

  /// Whether the package that it was made of is outside of the store, and as it was.
  var hasPackage: Bool {
    guard let packagePath else { return false }
    return [PackageFile.draftModel, PackageFile.suffixes].contains { name in
      (try? SHA256.hex(ofFile: FilePath.join(packagePath, name))) == draftSHA256
    }
  }

  /// Whether the base's file is outside of the store, and there.
  var hasBase: Bool { basePath.map { FileSystem.kind(of: $0) == .file } ?? false }

  var isSound: Bool {
    let times = passRatios + [secondsPerToken, draftSecondsPerToken ?? 1]
    return formatVersion == Self.version && isSHA256(draftSHA256) && sha256 == digest
      && passRatios.count == PassCosts.count && times.allSatisfy { $0 > 0 && $0.isFinite }
  }

  private var digest: String {
    let parts: [String] =
      [
        "\(formatVersion)", draftSHA256, baseSignature, "\(baseSize)", processor,
        "\(secondsPerToken)", draftSecondsPerToken.map { "\($0)" } ?? "none", modelSHA256 ?? "none",
        "\(Int(created.timeIntervalSince1970))",
      ] + passRatios.map { "\($0)" }
      + [packagePath.map { "package \($0)" }, basePath.map { "base \($0)" }].compactMap(\.self)
    return SHA256.hex(Array(parts.joined(separator: "\n").utf8))
  }

  /// Name of the directory for a draft, a base and a processor: 40 hexadecimal digits.
  static func key(draftSHA256: String, baseSignature: String, processor: String) -> String {
    let parts = [draftSHA256, baseSignature, processor, "\(version)"]
    return String(SHA256.hex(Array(parts.joined(separator: "\n").utf8)).prefix(40))
  }

  var key: String {
    Self.key(draftSHA256: draftSHA256, baseSignature: baseSignature, processor: processor)
  }

  /// What passes cost.
  var costs: PassCosts { PassCosts(ratios: passRatios) }
}
