extension String {
  /// The text as one word of a shell.
  package var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// The text as one word of a command that is shown, within single quotation marks: as it is where a shell takes it so.
  package var shellWord: String {
    if !isEmpty, allSatisfy({ $0.isLetter || $0.isNumber || "-_./@%+:,".contains($0) }) {
      return self
    }
    return contains { "\"$`\\!".contains($0) } ? shellQuoted : "\"\(self)\""
  }
}
