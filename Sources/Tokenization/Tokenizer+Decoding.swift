extension Tokenizer {
  /// The bytes that `token` adds to a text: none for control tokens and tokens outside the vocabulary.
  ///
  /// They may be a part of a character. With `special`, control tokens give their names.
  public func bytes(of token: Token, special: Bool = false) -> [UInt8] {
    Array(piece(of: token, special: special))
  }

  /// The same without a copy, where the vocabulary has it so.
  func piece(of token: Token, special: Bool = false) -> ArraySlice<UInt8> {
    guard let index = Int(exactly: token), vocabulary.kinds.indices.contains(index) else {
      return []
    }
    if token == vocabulary.newline { return [0x0A] }
    let piece = vocabulary.pieces[index]
    switch (vocabulary.kinds[index], vocabulary.settings.algorithm) {
    case (.control, _), (.unknown, _): return special ? piece : []
    case (.undefined, _), (.unused, _): return []
    case (.byte, _): return hexadecimalByte(piece).map { [$0] } ?? piece
    case (.normal, .byteLevel), (.userDefined, .byteLevel): return piece
    case (.normal, .sentencePiece), (.userDefined, .sentencePiece): return unescaped(piece)
    }
  }

  /// The text of `tokens`, without control tokens; bytes that are not UTF-8 become U+FFFD.
  ///
  /// At the start of a text, the space that a SentencePiece tokenizer puts there is taken away again.
  public func decode(_ tokens: [Token], special: Bool = false, isStart: Bool = true) -> String {
    String(decoding: bytes(of: tokens, special: special, isStart: isStart), as: UTF8.self)
  }

  /// The bytes of the text of `tokens`, as `decode` gives it.
  public func bytes(of tokens: [Token], special: Bool = false, isStart: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = []
    var mayTrim = isStart && vocabulary.settings.addsSpacePrefix
    for token in tokens {
      let piece = self.bytes(of: token, special: special)
      if mayTrim, !isControl(token), !piece.isEmpty {
        bytes += piece.first == 0x20 ? piece.dropFirst() : piece[...]
        mayTrim = false
      } else {
        bytes += piece
      }
    }
    return bytes
  }

  /// Whether a token is a mark of the format that is no part of any text.
  func isControl(_ token: Token) -> Bool {
    guard vocabulary.kinds.indices.contains(Int(token)) else { return false }
    return [.control, .unknown].contains(vocabulary.kinds[Int(token)])
  }

  /// The piece with a space for each U+2581.
  private func unescaped(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard piece.contains(0xE2) else { return piece }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(piece.count)
    var place = piece.startIndex
    while place < piece.endIndex {
      if piece[place] == 0xE2, piece[place...].starts(with: Self.underscore) {
        bytes.append(0x20)
        place += Self.underscore.count
      } else {
        bytes.append(piece[place])
        place += 1
      }
    }
    return bytes[...]
  }

  /// U+2581.
  private static let underscore: [UInt8] = [0xE2, 0x96, 0x81]

  /// Whether a token is one that a format uses as a mark although a text may have it.
  package func isMark(_ token: Token) -> Bool {
    guard vocabulary.kinds.indices.contains(Int(token)) else { return false }
    return vocabulary.kinds[Int(token)] == .userDefined
      && SpecialTokens.looksLikeMark(Array(vocabulary.pieces[Int(token)]))
  }

  /// The value of a piece `<0xXX>`.
  private func hexadecimalByte(_ piece: ArraySlice<UInt8>) -> UInt8? {
    guard piece.count == 6, piece.starts(with: Array("<0x".utf8)) else { return nil }
    return UInt8(String(decoding: piece.dropFirst(3).prefix(2), as: UTF8.self), radix: 16)
  }
}
