import Foundation
import Kernels
import TensorFiles

/// Text that a command reads, byte for byte.
enum InputText {
  /// All of standard input; says what it waits for when a person has to type it.
  static func standardInput(_ terminal: Terminal) throws -> [UInt8] {
    if terminal.inputIsTerminal {
      terminal.note("Type the text and end it with Ctrl-D on a line of its own.")
    }
    do {
      return [UInt8](try FileHandle.standardInput.readToEnd() ?? Data())
    } catch {
      throw Failure(.unexpected, "cannot read standard input: \(error.localizedDescription)")
    }
  }

  /// All of the file at `path`.
  static func file(_ path: String) throws -> [UInt8] {
    try MappedFile(path: path).bytes.array
  }
}
