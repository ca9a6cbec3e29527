import Kernels
import LanguageModels

/// Options of the commands that load a base, with adapters or without.
enum ModelOptions {
  static let base = Option(
    "--base", short: "-b", .base,
    "Signature or name of an installed base, or a GGUF file; without it the base in use")
  static let adapter = Option(
    "--adapter", short: "-a", .adapter, repeats: true,
    "Add an adapter: an installed name or identifier, or a package's path; may be given again")
  static let scale = Option(
    "--adapter-scale", .number(-10...10), repeats: true,
    "Strength of an adapter, 1 as trained; the first belongs to the first adapter")
  static let threads = Option(
    "--threads", .integer(1...256), "Worker threads; one per processor unless given")
  static let cache = Option(
    "--kv", .cacheFormat,
    "How keys and values are kept: f32, f16 or q8; f16 over quantized weights unless given")
}

extension ValueType where Value == CacheFormat {
  fileprivate static var cacheFormat: Self {
    let names = CacheFormat.allCases.map(\.rawValue)
    return Self(
      placeholder: "format", expectation: "one of " + names.joined(separator: ", "),
      completion: .words(names)
    ) { CacheFormat(rawValue: $0) }
  }
}
