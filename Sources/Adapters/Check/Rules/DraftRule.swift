import JSON
import SystemFiles

/// Apple's draft is whole, both of its files, and the token count fits what there is.
enum DraftRule {
  @Sendable static func findings(in package: PackageReading) -> [Finding] {
    pair(package) + program(package) + count(package)
  }

  private static func pair(_ package: PackageReading) -> [Finding] {
    let files = [PackageFile.draftProgram, PackageFile.draftWeights]
    let missing = files.filter { package.folder.entry($0) == nil }
    guard missing.count == 1, let present = files.first(where: { $0 != missing[0] }) else {
      return []
    }
    return [
      Finding(
        "draft.pair", at: .init(missing[0]), "The file is missing, but \(present) is there.",
        remedy: "Add the other half of the draft model, or remove \(present).")
    ]
  }

  private static func program(_ package: PackageReading) -> [Finding] {
    guard let entry = package.folder.entry(PackageFile.draftProgram), entry.kind == .file,
      entry.size == 0
    else { return [] }
    return [
      Finding(
        "draft.program", at: .init(PackageFile.draftProgram), "The file is empty.",
        remedy: "Copy or export the package again.")
    ]
  }

  private static func count(_ package: PackageReading) -> [Finding] {
    let key = "speculativeDecodingDraftTokenCount"
    guard let metadata = package.metadata, let object = metadata.object else { return [] }
    let place = metadata.place(key)
    let hasDraft = [PackageFile.draftWeights, PackageFile.draftModel]
      .contains(where: package.folder.hasFile)
    guard let value = object[key] else {
      guard hasDraft else { return [] }
      return [
        Finding(
          "draft.count", .warning, at: place, "There is a draft model, but no token count.",
          remedy: "Add \"\(key)\"; 5 is usual.")
      ]
    }
    guard let number = value.number, number.isInteger else { return [] }
    guard let count = number.integer, (1...64).contains(count) else {
      return [
        Finding(
          "draft.count", .warning, at: place,
          "The count \(number.text.prefix(20)) is outside 1 to 64.", remedy: "Write 5.")
      ]
    }
    guard !hasDraft else { return [] }
    return [
      Finding(
        "draft.count", .note, at: place, "The count is not used: there is no draft model.",
        remedy: "Nothing to do; Apple's exporter always writes it.")
    ]
  }
}
