import ChatTemplates

extension DataCheck {
  /// What only shows once the example is in tokens.
  func tokenFindings(_ example: TrainingExample, _ path: String) -> [DataFinding] {
    let place = DataFinding.Place(path, line: example.line, offset: example.offset)
    let marks = Self.findMarks(example, renderer?.marks ?? ExampleRenderer.knownMarks, place)
    guard let renderer else { return marks }
    do throws(DataSetError) {
      let rendered = try renderer.render(example)
      return marks + contextFindings(rendered, place)
    } catch {
      guard case .rendering(let error, _) = error else { return marks }
      return marks + [
        DataFinding(.rendering, at: place, "The example cannot be rendered: \(error)")
      ]
    }
  }

  private func contextFindings(
    _ example: TokenizedExample, _ place: DataFinding.Place
  ) -> [DataFinding] {
    guard let contextLength, example.tokens.count > contextLength else { return [] }
    let kept = example.trained.prefix { $0.lowerBound < contextLength }
    return [
      DataFinding(
        .context, at: place,
        "The example has \(example.tokens.count) tokens, the context of the base \(contextLength)"
          + (kept.isEmpty ? "; none of its answers begins within it." : "."))
    ]
  }

  /// Marks of chat formats that stand in answers as text.
  private static func findMarks(
    _ example: TrainingExample, _ marks: [String], _ place: DataFinding.Place
  ) -> [DataFinding] {
    example.messages.enumerated().compactMap { index, message -> DataFinding? in
      guard message.role == .assistant,
        let mark = firstMark(in: Array(message.content.utf8), marks)
      else { return nil }
      return DataFinding(
        .marksInAnswer, at: place,
        "The answer in message \(index + 1) has the text \(mark), which looks like a mark of a chat format."
      )
    }
  }

  /// The mark that stands first in `text`.
  private static func firstMark(in text: [UInt8], _ marks: [String]) -> String? {
    let openings = Set(marks.compactMap(\.utf8.first))
    for (index, byte) in text.enumerated() where openings.contains(byte) {
      let rest = text[index...]
      if let mark = marks.first(where: { rest.starts(with: $0.utf8) }) { return mark }
    }
    return nil
  }
}
