extension GenerationGuide where Value == String {
  /// The string is exactly `value`.
  public static func constant(_ value: String) -> GenerationGuide<String> {
    GenerationGuide(.values([value]))
  }

  /// The string is one of `values`, scalar by scalar.
  public static func anyOf(_ values: [String]) -> GenerationGuide<String> {
    GenerationGuide(.values(values))
  }

  /// The whole string matches `regex`, which has to be a literal or made from text.
  public static func pattern<Output>(_ regex: Regex<Output>) -> GenerationGuide<String> {
    GenerationGuide(.pattern(SchemaPattern(regex)))
  }
}
