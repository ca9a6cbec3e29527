import Adapters

/// Reads the objects of a JSON file one by one: those of one list, or those that stand one after the other, on a line each or not.
struct ObjectReader {
  /// What is wrong, and the line that it is on.
  struct Failure: Error {
    let problem: String
    let line: Int
  }

  private(set) var cursor: ByteCursor
  /// Whether they stand in a list; nil before the first one.
  private var isList: Bool?
  private var hasEnded = false

  init(_ cursor: ByteCursor) { self.cursor = cursor }

  /// The next object, and the line that it starts on, or what is wrong with it alone; nil at the end.
  mutating func next() throws -> (object: Result<JSONObject, JSONError>, line: Int)? {
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
        return try object()
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

  private mutating func object() throws -> (Result<JSONObject, JSONError>, Int) {
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
      let value = try JSONDocument(parsing: bytes, limit: .max).root
      guard let object = value.object else { preconditionFailure("it starts with a brace") }
      return (.success(object), line)
    } catch {
      return (.failure(error), line + error.line - 1)
    }
  }
}
