import Kernels
import SystemFiles
package import TensorFiles

/// The 40 digits that tell one base from every other, whatever the types of its weights.
///
/// The metadata string `fmadapter.base.signature` is the signature when it is 40 lowercase hexadecimal digits: the
/// converter and the quantizer put that of their source there. A file without it is its own source, and its signature
/// is the first 40 digits of SHA-256 over this listing, in UTF-8, each line ended by a line feed:
///
///     fmadapter base listing 1
///     key <key> <number of the value's type> <SHA-256 of the value as it is encoded in the file>
///     tensor <name> <type> <dimensions, fastest first, joined by x> <SHA-256 of the data>
///
/// Keys are `general.architecture` and those that begin with `tokenizer.` or with the architecture's name and a dot;
/// they, and then the tensors, come in byte order of their names. An array counts as its elements, without its head.
package enum BaseSignature {
  /// Where a base carries the signature of its source.
  static let key = "fmadapter.base.signature"

  /// The signature of `file`: at once when it carries one, else after reading all of it.
  package static func compute(_ file: GGUFFile) -> String {
    stamped(file) ?? ofContents(file)
  }

  /// The signature that the contents of `file` have, whatever it carries; all of it is read.
  package static func ofContents(_ file: GGUFFile) -> String {
    String(SHA256.hex(Array(listing(file).utf8)).prefix(40))
  }

  /// The signature that `file` carries, or nil when it carries none of the right form.
  package static func stamped(_ file: GGUFFile) -> String? {
    guard case .string(let bytes) = file.metadata[key], isValid(bytes) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isValid(_ bytes: [UInt8]) -> Bool {
    bytes.count == 40
      && bytes.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  /// The text whose digest is the signature of a file without one.
  static func listing(_ file: GGUFFile) -> String {
    var prefix: String?
    if case .string(let bytes) = file.metadata["general.architecture"] {
      prefix = String(decoding: bytes, as: UTF8.self) + "."
    }
    let keys = file.metadata.keys.filter { key in
      key == "general.architecture" || key.hasPrefix("tokenizer.")
        || prefix.map(key.hasPrefix) ?? false
    }
    var lines = ["fmadapter base listing 1"]
    for key in keys.sorted(by: precedes) {
      if let value = file.metadata.encoded(key) {
        lines.append("key \(key) \(value.type.rawValue) \(SHA256.hex(value.bytes))")
      }
    }
    for tensor in file.tensors.sorted(by: { precedes($0.name, $1.name) }) {
      let dimensions = tensor.dimensions.map(String.init).joined(separator: "x")
      lines.append(
        "tensor \(tensor.name) \(tensor.type.name) \(dimensions) \(SHA256.hex(tensor.bytes))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
