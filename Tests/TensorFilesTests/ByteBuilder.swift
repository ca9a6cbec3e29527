/// Writes bytes by hand, so that tests of readers do not lean on our writers.
struct ByteBuilder {
  var bytes: [UInt8] = []

  mutating func u8(_ value: UInt8) { bytes.append(value) }
  mutating func u32(_ value: UInt32) { append(value) }
  mutating func u64(_ value: UInt64) { append(value) }
  mutating func raw(_ values: [UInt8]) { bytes += values }
  mutating func text(_ text: String) { bytes += Array(text.utf8) }
  mutating func string(_ text: String) {
    u64(UInt64(text.utf8.count))
    self.text(text)
  }
  mutating func zeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
  mutating func pad(to alignment: Int) {
    while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
  }

  private mutating func append<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { bytes += Array($0) }
  }
}

/// The bytes of a small GGUF file, with every field open to change.
struct GGUFSample {
  var magic = "GGUF"
  var version: UInt32 = 3
  var tensorCount: UInt64?
  var keyCount: UInt64?
  /// Each writes one key with its type and value.
  var keys: [(inout ByteBuilder) -> Void] = []
  var tensors: [Tensor] = []
  var alignment = 32
  var data: [UInt8] = []

  struct Tensor {
    var name = "t"
    var dimensionCount: UInt32?
    var dimensions: [UInt64] = [4]
    var type: UInt32 = 0
    var offset: UInt64 = 0
  }

  func bytes() -> [UInt8] {
    var out = ByteBuilder()
    out.text(magic)
    out.u32(version)
    out.u64(tensorCount ?? UInt64(tensors.count))
    out.u64(keyCount ?? UInt64(keys.count))
    for key in keys { key(&out) }
    for tensor in tensors {
      out.string(tensor.name)
      out.u32(tensor.dimensionCount ?? UInt32(tensor.dimensions.count))
      for dimension in tensor.dimensions { out.u64(dimension) }
      out.u32(tensor.type)
      out.u64(tensor.offset)
    }
    out.pad(to: alignment)
    out.raw(data)
    return out.bytes
  }
}

/// A key with a value of type `type`, written by `value`.
func key(
  _ name: String, _ type: UInt32, _ value: @escaping (inout ByteBuilder) -> Void = { _ in }
) -> (inout ByteBuilder) -> Void {
  { out in
    out.string(name)
    out.u32(type)
    value(&out)
  }
}
