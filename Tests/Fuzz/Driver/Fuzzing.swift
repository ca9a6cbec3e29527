import Glibc

/// Takes bytes that anybody may have written; throws what is wrong with them, and never traps.
package typealias Parser = @Sendable ([UInt8]) throws -> Void

/// Of `parsers` the one that the command line names by `--parser=NAME`; without one, prints all names and exits.
package func chosen(_ parsers: [String: Parser]) -> Parser {
  for argument in CommandLine.arguments where argument.hasPrefix("--parser=") {
    if let parser = parsers[String(argument.dropFirst("--parser=".count))] { return parser }
  }
  print(parsers.keys.sorted().joined(separator: "\n"))
  exit(2)
}

/// Hands an input of libFuzzer to `parser`.
package func feed(_ start: UnsafePointer<UInt8>?, _ count: Int, to parser: Parser) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try parser(bytes)
  } catch {
    // What an error says is made of the input, too; of each fourth, as texts take longer than most parsers.
    if count.isMultiple(of: 4) { _ = "\(error)" }
  }
  return 0
}

/// The parts of `bytes` between line feeds, `count` at most, the last with all that is left.
package func lines(_ bytes: [UInt8], _ count: Int) -> [[UInt8]] {
  bytes.split(
    separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false
  ).map(Array.init)
}

/// Text of any bytes.
package func text(_ bytes: some Sequence<UInt8>) -> String {
  String(decoding: Array(bytes), as: UTF8.self)
}

/// Files in memory, for parsers that read paths; one folder for the whole run.
package enum Scratch {
  package static let folder: String = {
    let path = "/dev/shm/fuzz.\(getpid())"
    mkdir(path, 0o700)
    return path
  }()

  /// Writes `bytes` to the file `name`, or removes it where there are none; returns its path.
  @discardableResult
  package static func set(_ name: String, _ bytes: [UInt8]?) -> String {
    let path = folder + "/" + name
    guard let bytes else {
      unlink(path)
      return path
    }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count else { fatalError("\(path)") }
    close(file)
    return path
  }
}
