/// Decompresses deflate (RFC 1951), which entries of zip archives are in; all of it at once.
struct Inflater {
  /// What is wrong with a stream, and where in it.
  struct Defect: Error, Equatable {
    let offset: Int
    let problem: String
  }

  private let input: [UInt8]
  private let size: Int
  private var output: [UInt8] = []
  /// Where the next byte is read.
  private var place = 0
  /// Bits that were read and not taken yet, the next one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0

  /// The bytes that `input` stands for, which have to be `size`.
  ///
  /// - Throws: `Defect`.
  static func inflate(_ input: [UInt8], size: Int) throws(Defect) -> [UInt8] {
    var inflater = Inflater(input, size)
    while try inflater.readBlock() {}
    guard inflater.output.count == size else {
      throw inflater.defect("it stands for \(inflater.output.count) bytes, not \(size)")
    }
    return inflater.output
  }

  private init(_ input: [UInt8], _ size: Int) {
    (self.input, self.size) = (input, size)
    output.reserveCapacity(size)
  }

  /// False for the last block.
  private mutating func readBlock() throws(Defect) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try copyStored()
    case 1: try copyCoded(.fixedLiterals, .fixedDistances)
    case 2:
      let (literals, distances) = try readCodes()
      try copyCoded(literals, distances)
    default: throw defect("a block has no known type")
    }
    return !isLast
  }

  private mutating func copyStored() throws(Defect) {
    bits >>= UInt64(bitCount & 7)
    bitCount -= bitCount & 7
    let length = try take(16)
    guard try take(16) == length ^ 0xFFFF else { throw defect("a block contradicts its length") }
    try checkRoom(length)
    for _ in 0..<length { output.append(UInt8(try take(8))) }
  }

  private mutating func copyCoded(
    _ literals: HuffmanCode, _ distances: HuffmanCode
  ) throws(Defect) {
    while true {
      let symbol = try take(literals)
      if symbol == 256 { return }
      guard symbol > 256 else {
        try checkRoom(1)
        output.append(UInt8(symbol))
        continue
      }
      guard symbol <= 285 else { throw defect("there is no length \(symbol)") }
      let (length, lengthBits) = Self.lengths[symbol - 257]
      let count = length + (try take(lengthBits))
      let code = try take(distances)
      guard code < 30 else { throw defect("there is no distance \(code)") }
      let (start, distanceBits) = Self.distances[code]
      let distance = start + (try take(distanceBits))
      guard distance <= output.count else { throw defect("a copy is of what stands before all") }
      try checkRoom(count)
      for _ in 0..<count { output.append(output[output.count - distance]) }
    }
  }

  private func checkRoom(_ count: Int) throws(Defect) {
    guard count <= size - output.count else {
      throw defect("it stands for more than \(size) bytes")
    }
  }

  /// Reads the codes of a block, whose lengths are themselves coded.
  private mutating func readCodes() throws(Defect) -> (HuffmanCode, HuffmanCode) {
    let (literals, distances) = (try take(5) + 257, try take(5) + 1)
    var first = [UInt8](repeating: 0, count: 19)
    for index in 0..<(try take(4)) + 4 { first[Self.order[index]] = UInt8(try take(3)) }
    let code = try self.code(first[...])
    var lengths: [UInt8] = []
    while lengths.count < literals + distances {
      let symbol = try take(code)
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw defect("no length stands before a repetition") }
        lengths += Array(repeating: last, count: try take(2) + 3)
      case 17: lengths += Array(repeating: 0, count: try take(3) + 3)
      case 18: lengths += Array(repeating: 0, count: try take(7) + 11)
      default: lengths.append(UInt8(symbol))
      }
    }
    guard lengths.count == literals + distances else { throw defect("there are too many lengths") }
    return (try self.code(lengths[..<literals]), try self.code(lengths[literals...]))
  }

  private func code(_ lengths: ArraySlice<UInt8>) throws(Defect) -> HuffmanCode {
    guard let code = HuffmanCode(lengths: lengths) else {
      throw defect("the lengths of a code fit no code")
    }
    return code
  }

  private mutating func take(_ count: Int) throws(Defect) -> Int {
    fill()
    guard bitCount >= count else { throw defect("it was cut") }
    let value = bits & (1 << UInt64(count) - 1)
    drop(count)
    return Int(value)
  }

  private mutating func take(_ code: HuffmanCode) throws(Defect) -> Int {
    fill()
    let (symbol, length) = code.entry(bits)
    guard length > 0 else { throw defect("a code stands for nothing") }
    guard length <= bitCount else { throw defect("it was cut") }
    drop(length)
    return symbol
  }

  private mutating func fill() {
    while bitCount <= 56, place < input.count {
      bits |= UInt64(input[place]) << UInt64(bitCount)
      place += 1
      bitCount += 8
    }
  }

  private mutating func drop(_ count: Int) {
    bits >>= UInt64(count)
    bitCount -= count
  }

  private func defect(_ problem: String) -> Defect {
    Defect(offset: place - bitCount / 8, problem: problem)
  }
}

extension Inflater {
  /// In which order the lengths of the code of lengths come.
  private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The shortest copy of each symbol from 257 on, and how many bits say how much longer it is.
  private static let lengths: [(Int, Int)] = {
    var rows = ranges(count: 28, from: 3, perStep: 4)
    rows.append((258, 0))
    return rows
  }()

  /// The same of distances.
  private static let distances = ranges(count: 30, from: 1, perStep: 2)

  /// Ranges that follow each other: of each size there are `perStep`, but twice as many of size one.
  private static func ranges(count: Int, from start: Int, perStep: Int) -> [(Int, Int)] {
    var next = start
    return (0..<count).map { index in
      let bits = max(0, index / perStep - 1)
      defer { next += 1 << bits }
      return (next, bits)
    }
  }
}

/// A canonical prefix code with symbols of up to 15 bits, as a table over the next 15 bits of the stream.
struct HuffmanCode {
  private static let longest = 15
  /// A symbol times 16 and its length; zero where no code begins so.
  private var table = [UInt16](repeating: 0, count: 1 << longest)

  static let fixedLiterals = fixed(
    (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  static let fixedDistances = fixed(Array(repeating: 5, count: 30))

  private static func fixed(_ lengths: [UInt8]) -> HuffmanCode {
    guard let code = HuffmanCode(lengths: lengths[...]) else {
      preconditionFailure("the codes of the format are codes")
    }
    return code
  }

  /// Nil where more codes are asked for than there are.
  init?(lengths: ArraySlice<UInt8>) {
    var counts = [Int](repeating: 0, count: Self.longest + 1)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var next = [Int](repeating: 0, count: Self.longest + 1)
    for length in 1...Self.longest {
      next[length] = (next[length - 1] + counts[length - 1]) << 1
      guard next[length] + counts[length] <= 1 << length else { return nil }
    }
    for (symbol, length) in lengths.enumerated() where length > 0 {
      let code = next[Int(length)]
      next[Int(length)] += 1
      // Codes come highest bit first, other numbers lowest bit first.
      let first = Int(UInt16(code).reversed >> (16 - UInt16(length)))
      for index in stride(from: first, to: table.count, by: 1 << Int(length)) {
        table[index] = UInt16(symbol) << 4 | UInt16(length)
      }
    }
  }

  /// The symbol that `bits` begin with, and its length, which is zero where there is none.
  func entry(_ bits: UInt64) -> (symbol: Int, length: Int) {
    let entry = table[Int(bits & (1 << UInt64(Self.longest) - 1))]
    return (Int(entry >> 4), Int(entry & 15))
  }
}

extension UInt16 {
  /// The bits in the opposite order.
  fileprivate var reversed: UInt16 {
    (0..<16).reduce(0) { result, bit in result << 1 | self >> UInt16(bit) & 1 }
  }
}
