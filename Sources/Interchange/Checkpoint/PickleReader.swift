import SystemFiles
import TensorFiles

/// Reads the pickled part of an archive of PyTorch, and can build nothing but dictionaries and descriptions of tensors.
///
/// Pickle is a program for a machine with a stack, which may call any function of Python. This machine has the instructions
/// that a dictionary of tensors needs (protocol 2, as `torch.save` writes it), and the functions in `Function` alone; none of
/// them does more than to put its arguments together. Source: Python's `pickletools.py`.
struct PickleReader {
  /// What the machine can hold.
  enum Value {
    case none, mark
    case bool(Bool)
    case integer(Int)
    case text(String)
    case tuple(Tuple)
    case dictionary(Items)
    /// A list, or a number with a fraction: nothing here needs its content.
    case other
    case function(Function)
    case storageType(StorageType)
    case storage(Storage)
    case tensor(Tensor)
  }

  /// Values in a row.
  ///
  /// The depth is kept, as what refers to one tuple many times would take forever to walk through.
  struct Tuple {
    let values: [Value]
    let depth: Int
  }

  /// A dictionary, of which there is one reference: `recall` gives out no second one.
  final class Items {
    fileprivate(set) var values: [String: Value] = [:]
    fileprivate(set) var depth = 1
  }

  /// What may be called.
  enum Function: String {
    case dictionary = "collections OrderedDict"
    case tensor = "torch._utils _rebuild_tensor_v2"
    case parameter = "torch._utils _rebuild_parameter"
  }

  /// How the values of a storage are kept.
  enum StorageType: String, CaseIterable {
    case float = "torch FloatStorage"
    case half = "torch HalfStorage"
    case bfloat = "torch BFloat16Storage"
    case double = "torch DoubleStorage"
    case long = "torch LongStorage"
    case int = "torch IntStorage"
    case short = "torch ShortStorage"
    case char = "torch CharStorage"
    case byte = "torch ByteStorage"
    case bool = "torch BoolStorage"
  }

  /// An entry of the archive that holds values.
  struct Storage {
    let type: StorageType
    let key: String
    let count: Int
  }

  /// A view of a storage; offset and strides in values.
  struct Tensor {
    let storage: Storage
    let offset: Int
    let sizes: [Int]
    let strides: [Int]
  }

  private let bytes: TensorBytes
  private let path: String
  private let entry: String
  private var position = 0
  private var stack: [Value] = []
  private var memo: [UInt32: Value] = [:]

  /// Bounds on what a program may ask for.
  private static let (byteLimit, stackLimit, depthLimit, textLimit) = (16 << 20, 1 << 18, 16, 4096)

  init(_ bytes: TensorBytes, path: String, entry: String) {
    (self.bytes, self.path, self.entry) = (bytes, path, entry)
  }

  /// Runs the program; returns the dictionary that it builds.
  mutating func read() throws(InterchangeError) -> [String: Value] {
    guard bytes.count <= Self.byteLimit else {
      throw defect("it is longer than \(Figures.bytes(Self.byteLimit))", at: 0)
    }
    while true {
      let start = position
      let code = try number(UInt8.self)
      if code == UInt8(ascii: ".") { break }
      try step(code, at: start)
      guard stack.count <= Self.stackLimit else { throw defect("its stack is too high", at: start) }
    }
    guard position == bytes.count, stack.count == 1, case .dictionary(let result)? = stack.last
    else { throw defect("it does not end with one dictionary", at: max(0, position - 1)) }
    return result.values
  }

  // size: one line for each instruction
  private mutating func step(_ code: UInt8, at start: Int) throws(InterchangeError) {
    switch code {
    case 0x80:
      guard try number(UInt8.self) == 2 else { throw defect("it is not of protocol 2", at: start) }
    case UInt8(ascii: "}"): stack.append(.dictionary(Items()))
    case UInt8(ascii: "]"): stack.append(.other)
    case UInt8(ascii: ")"): stack.append(.tuple(Tuple(values: [], depth: 1)))
    case UInt8(ascii: "("): stack.append(.mark)
    case UInt8(ascii: "N"): stack.append(.none)
    case 0x88: stack.append(.bool(true))
    case 0x89: stack.append(.bool(false))
    case UInt8(ascii: "K"): stack.append(.integer(Int(try number(UInt8.self))))
    case UInt8(ascii: "M"): stack.append(.integer(Int(try number(UInt16.self))))
    case UInt8(ascii: "J"): stack.append(.integer(Int(try number(Int32.self))))
    case 0x8A: stack.append(.integer(try longInteger(at: start)))
    case UInt8(ascii: "G"):
      _ = try number(UInt64.self)
      stack.append(.other)
    case UInt8(ascii: "X"): stack.append(.text(try text(Int(try number(UInt32.self)), at: start)))
    case UInt8(ascii: "c"): try pushFunction(at: start)
    case UInt8(ascii: "t"): try push(tuple: try popToMark(at: start), at: start)
    case 0x85: try push(tuple: try pop(1, at: start), at: start)
    case 0x86: try push(tuple: try pop(2, at: start), at: start)
    case 0x87: try push(tuple: try pop(3, at: start), at: start)
    case UInt8(ascii: "q"): try keep(UInt32(try number(UInt8.self)), at: start)
    case UInt8(ascii: "r"): try keep(try number(UInt32.self), at: start)
    case UInt8(ascii: "h"): try recall(UInt32(try number(UInt8.self)), at: start)
    case UInt8(ascii: "j"): try recall(try number(UInt32.self), at: start)
    case UInt8(ascii: "s"): try setItems(try pop(2, at: start), at: start)
    case UInt8(ascii: "u"): try setItems(try popToMark(at: start), at: start)
    case UInt8(ascii: "a"): _ = try pop(1, at: start)
    case UInt8(ascii: "e"): _ = try popToMark(at: start)
    case UInt8(ascii: "Q"): try openStorage(at: start)
    case UInt8(ascii: "R"): try call(at: start)
    case UInt8(ascii: "b"):
      // What a dictionary of PyTorch carries besides, such as versions of modules.
      _ = try pop(1, at: start)
      guard case .dictionary? = stack.last else {
        throw defect("it changes the state of something else than a dictionary", at: start)
      }
    default:
      throw defect(
        "it has the instruction \(Self.shown(code)), which no dictionary of tensors needs",
        at: start)
    }
  }

  // MARK: Instructions

  private mutating func pushFunction(at start: Int) throws(InterchangeError) {
    let name = try line(at: start) + " " + line(at: start)
    if let function = Function(rawValue: name) {
      stack.append(.function(function))
    } else if let type = StorageType(rawValue: name) {
      stack.append(.storageType(type))
    } else {
      throw defect(
        "it asks for “\(name)”, and nothing but tensors and dictionaries is built", at: start)
    }
  }

  private mutating func push(tuple values: [Value], at start: Int) throws(InterchangeError) {
    stack.append(.tuple(Tuple(values: values, depth: try depth(above: values, at: start))))
  }

  /// The depth of what holds `values`: where there is no bound they could not even be taken apart again.
  private func depth(above values: [Value], at start: Int) throws(InterchangeError) -> Int {
    let depth = 1 + (values.map(\.depth).max() ?? 0)
    guard depth <= Self.depthLimit else {
      throw defect("its values are nested more than \(Self.depthLimit) deep", at: start)
    }
    return depth
  }

  private mutating func keep(_ index: UInt32, at start: Int) throws(InterchangeError) {
    guard let value = stack.last else { throw underflow(start) }
    memo[index] = value
  }

  private mutating func recall(_ index: UInt32, at start: Int) throws(InterchangeError) {
    guard let value = memo[index] else {
      throw defect("it recalls what it has not kept", at: start)
    }
    if case .dictionary = value {
      throw defect("it refers to a dictionary a second time", at: start)
    }
    if case .mark = value { throw defect("it recalls what is no value", at: start) }
    stack.append(value)
  }

  private mutating func setItems(_ items: [Value], at start: Int) throws(InterchangeError) {
    guard case .dictionary(let dictionary)? = stack.last else {
      throw defect("it puts items into something else than a dictionary", at: start)
    }
    guard items.count.isMultiple(of: 2) else { throw defect("a key has no value", at: start) }
    for index in stride(from: 0, to: items.count, by: 2) {
      guard case .text(let key) = items[index] else {
        throw defect("a key is no text", at: start)
      }
      let depth = try depth(above: [items[index + 1]], at: start)
      dictionary.depth = max(dictionary.depth, depth)
      guard dictionary.values.updateValue(items[index + 1], forKey: key) == nil else {
        throw defect("the key “\(key)” occurs twice", at: start)
      }
    }
  }

  private mutating func openStorage(at start: Int) throws(InterchangeError) {
    guard let parts = try pop(1, at: start)[0].tuple, parts.count == 5,
      case .text("storage") = parts[0], case .storageType(let type) = parts[1],
      case .text(let key) = parts[2], case .integer(let count) = parts[4], count >= 0,
      !key.isEmpty, key.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw defect("it refers to something else than a storage", at: start) }
    stack.append(.storage(Storage(type: type, key: key, count: count)))
  }

  private mutating func call(at start: Int) throws(InterchangeError) {
    let parts = try pop(2, at: start)
    guard case .function(let function) = parts[0], let arguments = parts[1].tuple else {
      throw defect("it calls something that is no function", at: start)
    }
    switch function {
    case .dictionary:
      guard arguments.isEmpty else {
        throw defect("it makes a dictionary of other things", at: start)
      }
      stack.append(.dictionary(Items()))
    case .parameter:
      guard case .tensor(let tensor)? = arguments.first else {
        throw defect("it makes a parameter of something else than a tensor", at: start)
      }
      stack.append(.tensor(tensor))
    case .tensor: stack.append(.tensor(try tensor(arguments, at: start)))
    }
  }

  private func tensor(_ arguments: [Value], at start: Int) throws(InterchangeError) -> Tensor {
    guard arguments.count >= 4, case .storage(let storage) = arguments[0],
      case .integer(let offset) = arguments[1], let sizes = arguments[2].integers,
      let strides = arguments[3].integers, sizes.count == strides.count, sizes.count <= 8
    else { throw defect("it makes a tensor of other things than a storage and sizes", at: start) }
    let tensor = Tensor(storage: storage, offset: offset, sizes: sizes, strides: strides)
    guard tensor.isInside else { throw defect("a tensor goes beyond its storage", at: start) }
    return tensor
  }

  // MARK: Reading

  private mutating func number<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type
  ) throws(InterchangeError) -> T {
    guard bytes.count - position >= MemoryLayout<T>.size else {
      throw defect("it ends inside an instruction", at: position)
    }
    defer { position += MemoryLayout<T>.size }
    return loadInteger(bytes, at: position, as: type)
  }

  private mutating func longInteger(at start: Int) throws(InterchangeError) -> Int {
    let count = Int(try number(UInt8.self))
    guard count <= 8 else { throw defect("a number has more than 64 bits", at: start) }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(try number(UInt8.self)) << UInt64(8 * index) }
    guard count > 0, count < 8 else { return Int(bitPattern: UInt(value)) }
    let unused = UInt64(64 - 8 * count)
    return Int(truncatingIfNeeded: Int64(bitPattern: value << unused) >> Int64(unused))
  }

  private mutating func text(_ count: Int, at start: Int) throws(InterchangeError) -> String {
    guard count <= Self.textLimit else {
      throw defect("a text has more than \(Figures.bytes(Self.textLimit))", at: start)
    }
    guard count <= bytes.count - position else {
      throw defect("it ends inside a text", at: start)
    }
    let content = bytes.slice(position..<position + count).array
    position += count
    guard let text = String(validating: content, as: UTF8.self) else {
      throw defect("a text is not UTF-8", at: start)
    }
    return text
  }

  /// The bytes up to the end of a line.
  private mutating func line(at start: Int) throws(InterchangeError) -> String {
    var text: [UInt8] = []
    while true {
      let byte = try number(UInt8.self)
      if byte == UInt8(ascii: "\n") { return String(decoding: text, as: UTF8.self) }
      text.append(byte)
      guard text.count <= 256 else { throw defect("a name has more than 256 bytes", at: start) }
    }
  }

  private mutating func pop(_ count: Int, at start: Int) throws(InterchangeError) -> [Value] {
    guard stack.count >= count else { throw underflow(start) }
    let values = Array(stack.suffix(count))
    stack.removeLast(count)
    guard !values.contains(where: \.isMark) else { throw underflow(start) }
    return values
  }

  private mutating func popToMark(at start: Int) throws(InterchangeError) -> [Value] {
    guard let mark = stack.lastIndex(where: \.isMark) else { throw underflow(start) }
    let values = Array(stack[(mark + 1)...])
    stack.removeSubrange(mark...)
    return values
  }

  private func underflow(_ start: Int) -> InterchangeError {
    defect("it takes more from its stack than is there", at: start)
  }

  private func defect(_ problem: String, at offset: Int) -> InterchangeError {
    .pickle(path: path, entry: entry, offset: offset, problem: problem)
  }

  private static func shown(_ code: UInt8) -> String {
    (0x21...0x7E).contains(code)
      ? "“\(Character(UnicodeScalar(code)))”" : "0x\(String(code, radix: 16))"
  }
}

extension PickleReader.Value {
  fileprivate var isMark: Bool { if case .mark = self { true } else { false } }

  /// How deep values are nested in it: 0 for what holds none.
  fileprivate var depth: Int {
    switch self {
    case .tuple(let tuple): tuple.depth
    case .dictionary(let items): items.depth
    default: 0
    }
  }

  fileprivate var tuple: [Self]? { if case .tuple(let tuple) = self { tuple.values } else { nil } }

  fileprivate var integers: [Int]? {
    guard let values = tuple else { return nil }
    let integers = values.compactMap { if case .integer(let value) = $0 { value } else { nil } }
    return integers.count == values.count ? integers : nil
  }
}

extension PickleReader.Tensor {
  /// Whether all of its values are in the storage, and no more than that has.
  fileprivate var isInside: Bool {
    guard offset >= 0, sizes.allSatisfy({ $0 > 0 }), strides.allSatisfy({ $0 >= 0 }) else {
      return false
    }
    var (last, count) = (offset, 1)
    for (size, stride) in zip(sizes, strides) {
      let (product, overflow) = count.multipliedReportingOverflow(by: size)
      let (step, overflow2) = (size - 1).multipliedReportingOverflow(by: stride)
      let (sum, overflow3) = last.addingReportingOverflow(step)
      guard !overflow, !overflow2, !overflow3 else { return false }
      (count, last) = (product, sum)
    }
    return last < storage.count && count <= storage.count
  }
}
