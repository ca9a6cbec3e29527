import FoundationEssentials
import JSON

/// A JSON object of something signed, whose members have to be what they are called.
struct SignedObject {
  let members: JSONObject

  init(_ members: JSONObject) { self.members = members }

  init(
    _ bytes: [UInt8], _ what: String, limit: Int = PackageSignature.sizeLimit
  ) throws(SignatureDefect) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes, limit: limit)
    } catch {
      throw .notJSON(what, error)
    }
    // Which of two readers take would differ.
    if let duplicate = document.duplicates.first { throw .repeated("\(duplicate)") }
    guard let members = document.root.object else { throw .wrongMember(what) }
    self.init(members)
  }

  func object(_ key: String) throws(SignatureDefect) -> SignedObject {
    guard let object = members[key]?.object else { throw .wrongMember(key) }
    return SignedObject(object)
  }

  func objects(_ key: String) throws(SignatureDefect) -> [SignedObject] {
    guard let array = members[key]?.array else { throw .wrongMember(key) }
    let objects = array.compactMap(\.object).map(SignedObject.init)
    guard objects.count == array.count else { throw .wrongMember(key) }
    return objects
  }

  func string(_ key: String) throws(SignatureDefect) -> String {
    guard let string = members[key]?.string else { throw .wrongMember(key) }
    return string
  }

  func bytes(_ key: String) throws(SignatureDefect) -> [UInt8] {
    guard let data = Data(base64Encoded: try string(key)) else { throw .wrongMember(key) }
    return Array(data)
  }
}
