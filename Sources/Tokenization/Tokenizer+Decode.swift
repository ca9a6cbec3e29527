extension Tokenizer {
  /// The bytes that `token` adds to a text: none for control tokens and tokens outside the vocabulary.
  ///
  /// They may be a part of a character. With `special`, control tokens give their names.
  public func bytes(of token: Token, special: Bool = false) -> [UInt8] {
    guard let index = Int(exactly: token), vocabulary.kinds.indices.contains(index) else {
      return []
    }
    if token == vocabulary.newline { return [0x0A] }
    let piece = vocabulary.pieces[index]
    switch (vocabulary.kinds[index], vocabulary.settings.algorithm) {
    case (.control, _), (.unknown, _): return special ? Array(piece) : []
    case (.undefined, _), (.unused, _): return []
    case (.byte, _): return hexadecimalByte(piece).map { [$0] } ?? Array(piece)
    case (.normal, .byteLevel), (.userDefined, .byteLevel): return Array(piece)
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
  private func unescaped(_ piece: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = piece
    while let byte = rest.first {
      if byte == 0xE2, rest.starts(with: [0xE2, 0x96, 0x81]) {
        bytes.append(0x20)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }

  /// The value of a piece `<0xXX>`.
  private func hexadecimalByte(_ piece: ArraySlice<UInt8>) -> UInt8? {
    guard piece.count == 6, piece.starts(with: Array("<0x".utf8)) else { return nil }
    return UInt8(String(decoding: piece.dropFirst(3).prefix(2), as: UTF8.self), radix: 16)
  }
}
