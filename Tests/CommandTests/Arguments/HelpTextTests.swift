import Testing

@testable import fmadapter

@Suite struct HelpTextTests {
  static let commands = CompletionScript(root: .root).entries

  @Test(arguments: [40, 80, 100])
  func runningTextFits(_ columns: Int) {
    for entry in Self.commands {
      let path = entry.place.split(separator: "/").map(String.init)
      let help = HelpText(command: entry.command, path: path, columns: columns).lines
      let typed = entry.command.examples.map { "  \($0.line)" }
      // An example is one line to type, whatever its length; a single long word cannot be broken.
      let lines = help.map(\.text).filter {
        !$0.contains("fmadapter ") && !typed.contains($0) || $0.hasPrefix("Usage")
      }
      for line in lines where line.cellWidth > columns {
        #expect(line.split(separator: " ").count == 1, "\(path): \(line)")
      }
    }
  }

  @Test func everyCommandHasExamplesThatParse() throws {
    for entry in Self.commands where entry.children.isEmpty {
      #expect(!entry.command.examples.isEmpty, "\(entry.place)")
      for example in entry.command.examples where example.line.hasPrefix("fmadapter ") {
        let words = Self.words(of: example.line)
        #expect(throws: Never.self, "\(example.line)") {
          _ = try ArgumentParser(root: .root).parse(words)
        }
      }
    }
  }

  /// Whatever its help says, the words that an option's value may be stand there, and on the manual page.
  @Test func everyChoiceIsSaid() throws {
    for entry in Self.commands {
      let path = entry.place.split(separator: "/").map(String.init)
      let help = HelpText(command: entry.command, path: path, columns: 100).lines.map(\.text)
        .joined(separator: " ")
      let page = try #require(ManualPage(path, root: .root, date: "")).source
      for option in entry.options {
        if case .words = option.completion { #expect(!option.choices.isEmpty, "\(option.name)") }
        for choice in option.choices {
          #expect(help.contains(choice), "\(entry.place) \(option.name): \(choice)")
          #expect(page.contains(Roff.running(choice)), "\(entry.place) \(option.name): \(choice)")
        }
      }
    }
  }

  @Test(arguments: [
    ("How it goes", "How it goes; one of up, down"), ("Go up or down", "Go up or down"),
    ("Go up, or downtown", "Go up, or downtown; one of up, down"),
  ])
  func choicesAreAddedWhereTheHelpLacksThem(_ help: String, _ explanation: String) {
    #expect(Option("--way", .word("way", ["up", "down"]), help).explanation == explanation)
  }

  @Test func optionsAreNamedOnce() {
    for entry in Self.commands {
      let names = entry.options.flatMap { [$0.name, $0.short].compactMap(\.self) }
      #expect(Set(names).count == names.count, "\(entry.place)")
    }
  }

  /// The words of an example up to a redirection or pipe, with quotation marks read as a shell does.
  static func words(of line: String) -> [String] {
    var words = [""]
    var quote: Character?
    var quoted: Bool { quote != nil }
    for character in line {
      switch character {
      case "\"", "'":
        if quote == nil {
          quote = character
        } else if quote == character {
          quote = nil
        } else {
          words[words.count - 1].append(character)
        }
      case " " where !quoted: words.append("")
      case ">" where !quoted, "<" where !quoted, "|" where !quoted:
        return words.dropFirst().filter { !$0.isEmpty }
      default: words[words.count - 1].append(character)
      }
    }
    return words.dropFirst().filter { !$0.isEmpty }
  }
}
