import Fuzzing
import SystemFiles

@testable import AdapterTraining

private func convert(_ bytes: [UInt8], _ source: DataConversion.Source) throws {
  var conversion = DataConversion()
  conversion.source = source
  _ = try conversion.run(bytes, named: "d", isCancelled: { false }) { _ in }
}

/// The text of the file at `path`, read `size` bytes at a time; nil where it is longer than a megabyte.
private func unpacked(_ path: String, by size: Int) throws -> [UInt8]? {
  var reader = TextReader(try FileReader(path: path))
  var text: [UInt8] = []
  while true {
    let piece = try reader.read(size)
    precondition(piece.count <= size, "more than was asked for")
    if piece.isEmpty { return text }
    text += piece
    if text.count > 1 << 20 { return nil }
  }
}

private let parser = chosen([
  "data-lines": { bytes in
    var reader = try DataSetReader(path: Scratch.set("data.jsonl", bytes), lineLimit: 2048)
    while let record = try reader.next() { _ = record.findings.map { "\($0)" } }
  },
  "packed": { bytes in
    let path = Scratch.set("data.gz", bytes)
    let whole = try unpacked(path, by: 64 << 10)
    let again = try unpacked(path, by: 1021)
    precondition(again == whole, "it is another text in smaller pieces")
  },
  "data-table": { bytes in try convert(bytes, .csv) },
  "data-json": { bytes in try convert(bytes, .json) },
  "python-literal": { bytes in _ = PythonLiteral.values(in: text(bytes)) },
  "markup": { bytes in _ = MarkupElement(text(bytes))?.descendants(named: "a") },
  "evaluation": { bytes in
    var reader = EvaluationReader(file: Scratch.set("eval.jsonl", bytes))
    var found = FindingList()
    _ = try reader.read(&found)
  },
])

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func take(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  feed(start, count, to: parser)
}
