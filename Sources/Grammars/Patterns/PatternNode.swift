/// A part of a regular expression.
indirect enum PatternNode: Equatable {
  /// One scalar of a set.
  case scalar(CharacterRanges)
  /// One after the other.
  case sequence([PatternNode])
  /// One of several.
  case alternatives([PatternNode])
  /// Several times; without `maximum` any number of them.
  case repeated(PatternNode, minimum: Int, maximum: Int?)
}
