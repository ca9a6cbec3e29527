import Fuzzing

@testable import JSON

private let parser = chosen([
  "json": { bytes in
    let document = try JSONDocument(parsing: bytes)
    let line = try? JSONDocument(parsing: Array(document.root.line.utf8)).root
    precondition(line == document.root, "it is written as another value")
    // Here the keys come in another order.
    let text = try? JSONDocument(parsing: Array(document.root.text.utf8)).root
    precondition(text?.text == document.root.text)
    _ = document.line(of: "a.b[0].c")
  },
  "json-beginning": { bytes in
    let document = try JSONDocument(beginning: bytes)
    precondition(document.openLevels >= 0)
  },
  "json-python": { bytes in
    _ = try JSONDocument(parsing: bytes, limit: 1 << 20, values: 1 << 16, keepsNonFinite: true)
  },
  "json-number": { bytes in
    let numbers = lines(bytes, 2).compactMap { JSONNumber(text: text($0)) }
    for number in numbers { _ = (number.integer, number.double, number.isInteger) }
    let decimals = numbers.compactMap { JSONDecimal($0) }
    for decimal in decimals {
      precondition(decimal.integer(roundedUp: true) >= decimal)
      precondition(decimal.integer(roundedUp: false) <= decimal)
    }
    if decimals.count == 2 { _ = decimals[0].isMultiple(of: decimals[1]) }
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
