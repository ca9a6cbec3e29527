import Adapters

/// Reads the objects of a JSON file one by one: those of one list, or those that stand one after the other, on a line each or not.
struct ObjectReader {
  /// What is wrong, and the line that it is on.
  struct Failure: Error {
    let problem: String
    let line: Int
  }

  /// An object, or what is wrong with it alone.
  struct Found {
    let object: Result<JSONObject, JSONError>
    /// A key that stands twice in it.
    var duplicate: JSONDocument.Duplicate?
    /// The line that it starts on.
    let line: Int
    /// Its number in a list, from 1; nil outside of one.
    var number: Int?
    /// Whether a data set could have it as it stands: on one line, and in no list.
    var isLine = false
  }

  private(set) var cursor: ByteCursor
  /// Whether they stand in a list; nil before the first one.
  private var isList: Bool?
  private var hasEnded = false
  private var count = 0

  init(_ cursor: ByteCursor) { self.cursor = cursor }

  /// The next object; nil at the end.
  mutating func next() throws -> Found? {
    while let byte = try cursor.peek() {
      switch byte {
      case 0x20, 0x09, 0x0A, 0x0D: _ = try cursor.next()
      case UInt8(ascii: "[") where isList == nil:
        _ = try cursor.next()
        isList = true
      case UInt8(ascii: ",") where isList == true && !hasEnded: _ = try cursor.next()
      case UInt8(ascii: "]") where isList == true && !hasEnded:
        _ = try cursor.next()
        hasEnded = true
      case UInt8(ascii: "{") where !hasEnded:
        isList = isList ?? false
        var found = try object()
        count += 1
        if isList == true { found.number = count }
        found.isLine = isList == false && cursor.line == found.line
        return found
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

  private mutating func object() throws -> Found {
    let line = cursor.line
    var (bytes, depth, isString, isEscaped) = ([UInt8](), 0, false, false)
    repeat {
      guard let byte = try cursor.next() else {
        throw Failure(problem: "the object does not end", line: line)
      }
      bytes.append(byte)
      guard bytes.count <= DataSetReader.lineLimit else {
        throw Failure(
          problem: "the object has more than \(DataSetReader.lineLimit) bytes", line: line)
      }
      if isString {
        if byte == UInt8(ascii: "\""), !isEscaped { isString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
    } while depth > 0
    do throws(JSONError) {
      let document = try JSONDocument(parsing: bytes, limit: .max)
      guard let object = document.root.object else { preconditionFailure("it starts with a brace") }
      return Found(object: .success(object), duplicate: document.duplicates.first, line: line)
    } catch {
      return Found(object: .failure(error), line: line + error.line - 1)
    }
  }
}
