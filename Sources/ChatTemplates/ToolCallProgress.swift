import Grammars

/// Something new about a call of a tool while the model writes it.
public enum ToolCallPart: Sendable, Equatable {
  /// Another call begins, of the tool with this name.
  case begin(String)
  /// The next piece of its arguments, as the model writes them: JSON of an object, once all have come.
  case arguments(String)
}

/// Reads calls of tools byte by byte, and tells of each part once it is certain.
struct ToolCallProgress: Sendable {
  private enum Stage {
    case opening
    case part(Int)
    /// Behind a call: another one comes, or the end.
    case between
    case ended
  }

  private let format: ToolCallFormat
  private let names: [[UInt8]]
  private var stage = Stage.opening
  /// Bytes that nothing could be made of yet.
  private var rest: [UInt8] = []
  /// How deep in the arguments the next byte is.
  private var (depth, isText, isEscaped) = (0, false, false)

  init(_ format: ToolCallFormat, _ tools: [ChatTool]) {
    self.format = format
    // One name may be the beginning of another.
    names = tools.map { Array($0.name.utf8) }.sorted { $0.count > $1.count }
  }

  /// What is known now that `bytes` have come, in which marks stand for themselves.
  mutating func append(_ bytes: some Sequence<UInt8>) -> [ToolCallPart] {
    rest += bytes
    var parts: [ToolCallPart] = []
    while goOn(&parts) {}
    return parts
  }

  /// Goes on by one stage; false where more has to come first.
  private mutating func goOn(_ parts: inout [ToolCallPart]) -> Bool {
    switch stage {
    case .opening: return take(format.opening, then: .part(0))
    case .part(let index):
      guard index < format.call.count else {
        stage = .between
        return true
      }
      return goOn(index, &parts)
    case .between:
      guard let separator = format.separator, !format.closing.starts(with: rest) else {
        return false
      }
      return take(separator, then: .part(0))
    case .ended: return false
    }
  }

  private mutating func goOn(_ index: Int, _ parts: inout [ToolCallPart]) -> Bool {
    let next = Stage.part(index + 1)
    switch format.call[index] {
    case .fixed(let bytes): return take(bytes, then: next)
    case .id:
      guard rest.count >= ToolCallFormat.idCount else { return false }
      rest.removeFirst(ToolCallFormat.idCount)
      stage = next
      return true
    case .name:
      var end = [UInt8(ascii: "{")]
      if index + 1 < format.call.count, case .fixed(let bytes) = format.call[index + 1] {
        end = bytes
      }
      guard let name = names.first(where: { rest.starts(with: $0 + end) }) else { return false }
      rest.removeFirst(name.count)
      parts.append(.begin(String(decoding: name, as: UTF8.self)))
      stage = next
      return true
    case .arguments: return takeArguments(then: next, &parts)
    }
  }

  private mutating func take(_ bytes: [UInt8], then next: Stage) -> Bool {
    guard rest.count >= bytes.count else { return false }
    guard rest.starts(with: bytes) else {
      stage = .ended
      return false
    }
    rest.removeFirst(bytes.count)
    stage = next
    return true
  }

  /// Takes what has come of an object, but for the beginning of a character.
  private mutating func takeArguments(then next: Stage, _ parts: inout [ToolCallPart]) -> Bool {
    var (count, isWhole) = (0, false)
    while count < rest.count, !isWhole {
      note(rest[count])
      count += 1
      isWhole = depth == 0
    }
    let text = rest[..<count]
    let open = isWhole ? 0 : Self.openBytes(of: text)
    if count > open {
      parts.append(.arguments(String(decoding: text.dropLast(open), as: UTF8.self)))
      rest.removeFirst(count - open)
    }
    guard isWhole else { return false }
    stage = next
    return true
  }

  private mutating func note(_ byte: UInt8) {
    switch (byte, isText) {
    case _ where isEscaped: isEscaped = false
    case (UInt8(ascii: "\\"), true): isEscaped = true
    case (UInt8(ascii: "\""), _): isText.toggle()
    case (UInt8(ascii: "{"), false), (UInt8(ascii: "["), false): depth += 1
    case (UInt8(ascii: "}"), false), (UInt8(ascii: "]"), false): depth -= 1
    default: break
    }
  }

  /// Bytes at the end of `text` that begin a character whose rest has not come.
  private static func openBytes(of text: ArraySlice<UInt8>) -> Int {
    let tail = text.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count
    guard let lead = text.dropLast(tail).last, lead >= 0xC0 else { return 0 }
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    return tail + 1 < length ? tail + 1 : 0
  }
}
