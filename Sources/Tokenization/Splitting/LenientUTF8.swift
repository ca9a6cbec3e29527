/// Text decoded as llama.cpp decodes it: any byte that does not belong to a well-shaped character is U+FFFD, but
/// surrogates and needlessly long forms are characters.
struct LenientUTF8 {
  /// The characters; all below U+110000.
  let scalars: [UInt32]
  /// The shortest UTF-8 of `scalars`.
  let bytes: [UInt8]

  init(_ input: ArraySlice<UInt8>) {
    let input = Array(input)
    var scalars: [UInt32] = []
    scalars.reserveCapacity(input.count)
    var isExact = true
    var index = 0
    while index < input.count {
      let (scalar, length) = Self.scalar(input, at: index)
      scalars.append(scalar)
      isExact = isExact && length == Self.length(scalar)
      index += length
    }
    self.scalars = scalars
    bytes = isExact ? input : Self.encode(scalars)
  }

  /// Bytes of the shortest UTF-8 of `scalar`.
  @inline(__always)
  static func length(_ scalar: UInt32) -> Int {
    scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
  }

  /// The character at `index` and its bytes there.
  @inline(__always)
  private static func scalar(_ input: [UInt8], at index: Int) -> (UInt32, Int) {
    let lead = input[index]
    if lead < 0x80 { return (UInt32(lead), 1) }
    let length = lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0
    guard length > 0, index + length <= input.count else { return (0xFFFD, 1) }
    var scalar = UInt32(lead) & (0x7F >> UInt32(length))
    for offset in 1..<length {
      let byte = input[index + offset]
      guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    return scalar < 0x110000 ? (scalar, length) : (0xFFFD, 1)
  }

  private static func encode(_ scalars: [UInt32]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(scalars.count * 2)
    for scalar in scalars {
      let length = length(scalar)
      if length == 1 {
        bytes.append(UInt8(scalar))
        continue
      }
      let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
      bytes.append(UInt8(lead | scalar >> UInt32(6 * (length - 1))))
      for shift in (0..<length - 1).reversed() {
        bytes.append(UInt8(0x80 | scalar >> UInt32(6 * shift) & 0x3F))
      }
    }
    return bytes
  }
}
