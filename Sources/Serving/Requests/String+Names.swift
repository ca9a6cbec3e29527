extension String {
  /// Whether it is `length` letters and digits of ASCII, and those of `signs`.
  func isName(of length: ClosedRange<Int>, with signs: String) -> Bool {
    length.contains(utf8.count)
      && utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || signs.utf8.contains(byte)
      }
  }
}
