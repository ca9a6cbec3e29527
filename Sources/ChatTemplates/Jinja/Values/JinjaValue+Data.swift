import JSON

extension JinjaValue {
  /// A value of JSON, of which every text is from `source`.
  ///
  /// Numbers are as Python reads them: what has a fraction or an exponent is a float.
  init(_ json: JSONValue, _ source: TextSource) {
    switch json {
    case .null: self = .none
    case .bool(let value): self = .bool(value)
    case .string(let text): self = .string(text, source)
    case .number(let number):
      if let integer = number.integer {
        self = .integer(integer)
      } else if number.isInteger {
        self = .huge(number.text)
      } else {
        self = .double(number.double)
      }
    case .array(let values): self = .list(values.map { JinjaValue($0, source) })
    case .object(let object):
      let dictionary = JinjaDictionary()
      for member in object.members {
        dictionary.set(.string(member.key, source), JinjaValue(member.value, source))
      }
      self = .dictionary(dictionary)
    }
  }
}
