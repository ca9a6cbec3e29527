import JSON

/// Reads the objects of a JSON file one by one: those of one list, or those that stand one after the other, on a line each or not;
/// or, where it is told so, lists that do.
struct ObjectReader {
  /// What is wrong, and the line that it is on.
  struct Failure: Error {
    let problem: String
    let line: Int
  }

  /// What is wrong with one object alone.
  enum Defect: Error {
    case syntax(JSONError)
    case encoding
  }

  /// An object or what else stands in its place, or what is wrong with it alone.
  struct Found {
    let value: Result<JSONValue, Defect>
    /// A key that stands twice in it.
    var duplicate: JSONDocument.Duplicate?
    /// The line that it starts on.
    let line: Int
    /// Its number in a list, from 1; nil outside of one.
    var number: Int?
    /// Whether a data set could have it as it stands: on one line alone, and in no list.
    var isLine = false
  }

  private(set) var cursor: ByteCursor
  /// Whether they stand in a list; nil before the first one.
  private var isList: Bool?
  private var hasEnded = false
  private var count = 0
  /// The line on which the list begins.
  private var start = 1
  /// The line on which the last value ends.
  private var end = 0
  private let areLists: Bool

  init(_ cursor: ByteCursor, areLists: Bool = false) {
    (self.cursor, self.areLists) = (cursor, areLists)
    isList = areLists ? false : nil
  }

  /// The next object; nil at the end.
  mutating func next() throws -> Found? {
    while let byte = try cursor.peek() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: _ = try cursor.next()
      case UInt8(ascii: "[") where isList == nil:
        (isList, start) = (true, cursor.line)
        _ = try cursor.next()
      case UInt8(ascii: ",") where isList == true && !hasEnded: _ = try cursor.next()
      case UInt8(ascii: "]") where isList == true && !hasEnded:
        _ = try cursor.next()
        hasEnded = true
      case let byte
      where !hasEnded && ![",", "]", "}", ":"].contains(Unicode.Scalar(byte))
        && (isList != nil || byte == UInt8(ascii: "{")):
        isList = isList ?? false
        let before = end
        var found = try value()
        count += 1
        if isList == true { found.number = count }
        found.isLine = isList == false && cursor.line == found.line && before < found.line
        return found
      case _ where hasEnded && count == 0:
        // The empty list was no list of all objects, but stood in the place of the first.
        (isList, hasEnded) = (false, false)
        return Found(value: .success(.array([])), line: start)
      default:
        let text = String(decoding: [byte], as: UTF8.self)
        throw Failure(problem: "found '\(text)', expected an object", line: cursor.line)
      }
    }
    if isList == true, !hasEnded {
      throw Failure(problem: "the list does not end", line: cursor.line)
    }
    return nil
  }

  /// The value that comes next, with what stands there as one.
  private mutating func value() throws -> Found {
    let line = cursor.line
    var bytes = ValueBytes(isInList: isList == true, areLists: areLists)
    while let byte = try cursor.peek(), bytes.take(byte) {
      _ = try cursor.next()
      guard bytes.all.count <= DataSetReader.lineLimit else {
        throw Failure(
          problem: "the object has more than \(DataSetReader.lineLimit) bytes", line: line)
      }
    }
    // The line of an error is the one that is broken off, not the one after it.
    let text = bytes.all[...(bytes.all.lastIndex { !ValueBytes.blanks.contains($0) } ?? 0)]
    end = line + text.count { $0 == 0x0A }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: Array(text), limit: .max)
      return Found(
        value: .success(document.root), duplicate: document.duplicates.first, line: line)
    } catch {
      let isText = String(validating: text, as: UTF8.self) != nil
      return Found(
        value: .failure(isText ? .syntax(error) : .encoding), line: line + error.line - 1)
    }
  }
}

/// The bytes of one value, which ends where it is whole, or where one that is broken off is followed
/// by an object on a line of its own, or by a list where values are lists.
private struct ValueBytes {
  static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

  private(set) var all: [UInt8] = []
  private let isInList: Bool
  private let areLists: Bool
  /// The brackets that are open.
  private var open: [UInt8] = []
  private var (isString, isEscaped, isWhole) = (false, false, false)
  /// The last byte outside of texts that is no blank.
  private var last: UInt8?

  init(isInList: Bool, areLists: Bool) {
    (self.isInList, self.areLists) = (isInList, areLists)
  }

  /// Takes `byte`, unless the value ends before it.
  mutating func take(_ byte: UInt8) -> Bool {
    guard !isWhole, !endsBefore(byte) else { return false }
    all.append(byte)
    if isString {
      if byte == UInt8(ascii: "\""), !isEscaped { isString = false }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      isWhole = !isString && open.isEmpty
      return true
    }
    switch byte {
    case UInt8(ascii: "\""): isString = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(byte)
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      _ = open.popLast()
      isWhole = open.isEmpty
    default: break
    }
    if !Self.blanks.contains(byte) { last = byte }
    return true
  }

  private func endsBefore(_ byte: UInt8) -> Bool {
    guard !all.isEmpty else { return false }
    guard isString || !open.isEmpty else {
      // A number or a word.
      return byte == 0x0A || isInList && [UInt8(ascii: ","), UInt8(ascii: "]")].contains(byte)
    }
    guard byte == UInt8(ascii: "{") || areLists && byte == UInt8(ascii: "["), all.last == 0x0A
    else { return false }
    // Texts have no line ends, and objects are values alone.
    let isValue =
      last == UInt8(ascii: ":")
      || open.last == UInt8(ascii: "[") && [UInt8(ascii: "["), UInt8(ascii: ",")].contains(last)
    return isString || !isValue
  }
}
