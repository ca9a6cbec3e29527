import JSON
import SystemFiles

/// What is wrong with a catalog, and where.
struct CatalogDefect: Error, Equatable {
  /// A key such as `adapters[2].version`, with its line where that is known.
  let place: String
  /// What is wrong there, and what to write instead.
  let reason: ErrorText

  var sentence: ErrorText { "\(place): \(reason)" }
}

/// A value of a catalog's JSON together with where it stands.
struct CatalogNode {
  let value: JSONValue
  let path: String
  let document: JSONDocument

  init(root document: JSONDocument) {
    self.init(value: document.root, path: "", document: document)
  }

  private init(value: JSONValue, path: String, document: JSONDocument) {
    self.value = value
    self.path = path
    self.document = document
  }

  /// The member `key`, which has to be there.
  func member(_ key: String) throws(CatalogDefect) -> CatalogNode {
    guard let member = try optional(key) else {
      throw defect("the key '\(key)' is missing\(remedy: "add it")")
    }
    return member
  }

  /// The member `key` if it is there and not null.
  func optional(_ key: String) throws(CatalogDefect) -> CatalogNode? {
    guard let object = value.object else { throw mistyped("an object") }
    switch object[key] {
    case nil, .null: return nil
    case let value?:
      let place = path.isEmpty ? key : "\(path).\(key)"
      return CatalogNode(value: value, path: place, document: document)
    }
  }

  var elements: [CatalogNode] {
    get throws(CatalogDefect) {
      guard let array = value.array else { throw mistyped("an array") }
      return array.enumerated().map { index, value in
        CatalogNode(value: value, path: "\(path)[\(index)]", document: document)
      }
    }
  }

  var text: String {
    get throws(CatalogDefect) {
      guard let text = value.string else { throw mistyped("a string") }
      return text
    }
  }

  var integer: Int {
    get throws(CatalogDefect) {
      guard let integer = value.integer else { throw mistyped("an integer of 64 bits") }
      return integer
    }
  }

  func defect(_ reason: ErrorText) -> CatalogDefect {
    let place = path.isEmpty ? "the whole file" : path
    let line = document.line(of: path).map { ", line \($0)" } ?? ""
    return CatalogDefect(place: place + line, reason: reason)
  }

  private func mistyped(_ kind: String) -> CatalogDefect {
    defect("the value is \(value.kind), not \(kind)\(remedy: "write \(kind)")")
  }
}
