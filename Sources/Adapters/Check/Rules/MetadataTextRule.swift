/// The file is one JSON object in which no key is repeated.
enum MetadataTextRule {
  @Sendable static func findings(in metadata: MetadataReading) -> [Finding] {
    switch metadata.document {
    case .failure(let error):
      [
        Finding(
          "metadata.json",
          at: .init(PackageFile.metadata, line: error.line, offset: error.offset),
          "\(error).", remedy: "Write the file as UTF-8 JSON.")
      ]
    case .success(let document) where document.root.object == nil:
      [
        Finding(
          "metadata.object", at: .init(PackageFile.metadata, line: 1),
          "The file holds \(document.root.kind), not an object.",
          remedy: "Put the keys into one JSON object.")
      ]
    case .success(let document):
      document.duplicates.map {
        Finding(
          "metadata.duplicate", at: .init(PackageFile.metadata, key: $0.path, line: $0.line),
          "The key stands twice in one object.",
          remedy: "Keep one of the two; readers differ in which one counts.")
      }
    }
  }
}
