import Testing

@testable import fmadapter

/// A small program that has one of each: a flag, options of all types, arguments, subcommands.
private enum Sample {
  static let loud = Flag("--loud", short: "-l", "Be loud")
  static let seed = Option("--seed", .seed, "Seed")
  static let heat = Option("--heat", short: "-t", .number(0...2), "Heat")
  static let adapter = Option("--adapter", .adapter, repeats: true, "Adapter")
  static let count = Option("--count", .integer(1...9), "Count")
  static let first = Argument("first", "The first")
  static let second = Argument("second", "The second", arity: .optional)
  static let sing = Command(
    name: "sing", summary: "Sing", arguments: [first, second],
    options: [loud, seed, heat, adapter, count], knownElsewhereAs: ["hum"],
    optionsKnownElsewhere: [
      "--random-state": "--seed", "-tfs": "--heat", "-p": "it is a word by itself",
    ])
  static let root = Command(
    name: "sample", summary: "Sample",
    subcommands: [
      CommandGroup(
        title: "All",
        commands: [
          sing,
          Command(
            name: "base", summary: "Bases",
            subcommands: [
              CommandGroup(
                title: "Bases", commands: [Command(name: "convert", summary: "Convert")])
            ]),
        ])
    ])

  static func parse(_ words: [String]) throws(UsageError) -> ParsedArguments? {
    guard case .run(_, _, let arguments) = try ArgumentParser(root: root).parse(words) else {
      return nil
    }
    return arguments
  }
}

struct UsageCase: Sendable, CustomTestStringConvertible {
  let words: [String]
  let message: String
  var testDescription: String { words.joined(separator: " ") }

  init(_ line: String, _ message: String) {
    words = line.split(separator: " ").map(String.init)
    self.message = message
  }
}

@Suite struct ArgumentParserTests {
  @Test(arguments: [(Argument.Arity.several, 1), (.any, 0)])
  func anArgumentMayTakeManyWords(_ arity: Argument.Arity, _ least: Int) throws {
    let argument = Argument("name", "Names", arity: arity)
    let command = Command(
      name: "x", summary: "X",
      subcommands: [
        CommandGroup(
          title: "All", commands: [Command(name: "y", summary: "Y", arguments: [argument])])
      ])
    func texts(_ words: [String]) throws -> [String]? {
      guard case .run(_, _, let parsed) = try ArgumentParser(root: command).parse(["y"] + words)
      else { return nil }
      return parsed.texts(argument)
    }
    #expect(try texts(["a", "b"]) == ["a", "b"])
    let none = try? texts([])
    #expect(none == (least == 0 ? [] : nil))
  }

  @Test func readsEveryForm() throws {
    let line = "sing la --loud --seed=7 -t 1.5 --adapter a --adapter b --count 3 lala"
    let parsed = try #require(try Sample.parse(line.split(separator: " ").map(String.init)))
    #expect(parsed.has(Sample.loud))
    #expect(parsed.value(Sample.seed) == 7)
    #expect(parsed.value(Sample.heat) == 1.5)
    #expect(parsed.values(Sample.adapter) == ["a", "b"])
    #expect(parsed.value(Sample.count) == 3)
    #expect(parsed.required(Sample.first) == "la")
    #expect(parsed.text(Sample.second) == "lala")
  }

  @Test func anAbsentOptionHasNoValue() throws {
    let parsed = try #require(try Sample.parse(["sing", "la"]))
    #expect(parsed.value(Sample.seed) == nil)
    #expect(!parsed.has(Sample.loud))
    #expect(parsed.text(Sample.second) == nil)
  }

  @Test func shortOptionsMayBeJoined() throws {
    let parsed = try #require(try Sample.parse(["sing", "-lt0.5", "la"]))
    #expect(parsed.has(Sample.loud))
    #expect(parsed.value(Sample.heat) == 0.5)
  }

  @Test func twoDashesEndTheOptions() throws {
    let parsed = try #require(try Sample.parse(["sing", "--", "--loud", "-"]))
    #expect(parsed.required(Sample.first) == "--loud")
    #expect(parsed.text(Sample.second) == "-")
    #expect(!parsed.has(Sample.loud))
  }

  @Test func valuesMayBeEmptyOrHoldEqualSigns() throws {
    let parsed = try #require(try Sample.parse(["sing", "", "a=b", "--adapter=x=y"]))
    #expect(parsed.required(Sample.first).isEmpty)
    #expect(parsed.text(Sample.second) == "a=b")
    #expect(parsed.values(Sample.adapter) == ["x=y"])
  }

  @Test(arguments: [
    UsageCase("", "a command is needed"),
    UsageCase("base", "a command is needed"),
    UsageCase("sign la", "there is no command 'sign'; did you mean 'sing'?"),
    UsageCase("hum la", "there is no command 'hum'; did you mean 'sing'?"),
    UsageCase("convert", "there is no command 'convert'; did you mean 'base convert'?"),
    UsageCase("base sing", "there is no command 'base sing'; did you mean 'sing'?"),
    UsageCase("xyzzy", "there is no command 'xyzzy'"),
    UsageCase("--versoin", "there is no option '--versoin'; did you mean '--version'?"),
    UsageCase("sing", "<first> is missing"),
    UsageCase(
      "sing a b c", "one word too many: 'c'; put quotation marks around a text of several words"),
    UsageCase("sing a --lout", "there is no option '--lout'; did you mean '--loud'?"),
    UsageCase("sing a -x", "there is no option '-x'"),
    UsageCase(
      "sing a --Random_State=7", "there is no option '--Random_State'; did you mean '--seed'?"),
    UsageCase("sing a -tfs 1", "there is no option '-tfs'; did you mean '--heat'?"),
    UsageCase("sing a -thot", "--heat takes a number, 0 to 2, not 'hot'"),
    UsageCase("sing -p la", "there is no option '-p'; it is a word by itself"),
    UsageCase("sing a --loud=yes", "--loud takes no value, but was given 'yes'"),
    UsageCase("sing a --seed", "--seed needs a value: --seed <seed>"),
    UsageCase("sing a --seed --loud", "--seed needs a value: --seed <seed>"),
    UsageCase("sing a --seed 1 --seed 2", "--seed was given twice; give it once"),
    UsageCase("sing a --heat hot", "--heat takes a number, 0 to 2, not 'hot'"),
    UsageCase("sing a --heat -1", "--heat takes a number, 0 to 2, not '-1'"),
    UsageCase("sing a --heat nan", "--heat takes a number, 0 to 2, not 'nan'"),
    UsageCase("sing a --count 0", "--count takes a whole number, 1 to 9, not '0'"),
    UsageCase(
      "sing a --seed=-1", "--seed takes a whole number, 0 to 18446744073709551615, not '-1'"),
  ])
  func saysWhatIsWrong(_ example: UsageCase) throws {
    let error = #expect(throws: UsageError.self) { try Sample.parse(example.words) }
    #expect(error?.description == example.message)
  }

  @Test(arguments: [
    UsageCase("help train draft", "there is no command 'train draft'; did you mean 'train-draft'?"),
    UsageCase(
      "help base instal", "there is no command 'base instal'; did you mean 'base install'?"),
    UsageCase("base rm x", "there is no command 'base rm'; did you mean 'base remove'?"),
    UsageCase("base help", "there is no command 'base help'; did you mean 'help base'?"),
    UsageCase("version", "there is no command 'version'; did you mean '--version'?"),
    UsageCase("-V", "there is no option '-V'; did you mean '--version'?"),
    UsageCase("search x", "there is no command 'search'; did you mean 'catalog show'?"),
    UsageCase(
      "convert x", "there is no command 'convert'; did you mean 'data convert' or 'base convert'?"),
    UsageCase("rum x", "there is no command 'rum'; did you mean 'run'?"),
    UsageCase("ru x", "there is no command 'ru'; did you mean 'run'?"),
    UsageCase("help rn", "there is no command 'rn'; did you mean 'run'?"),
    UsageCase("base us x", "there is no command 'base us'; did you mean 'base use'?"),
    UsageCase("verfy", "there is no command 'verfy'; did you mean 'verify'?"),
    UsageCase("dif a b", "there is no command 'dif'; did you mean 'df' or 'diff'?"),
    UsageCase("help run tagging", "there is no command 'run tagging'"),
    UsageCase("help fly", "there is no command 'fly'"),
    // What Apple's documentation of its toolkit has leads to what does the same here.
    UsageCase(
      "train --train-data a", "there is no option '--train-data'; the data set is a word by itself"),
    UsageCase(
      "train a --checkpoint-dir b",
      "there is no option '--checkpoint-dir'; did you mean '--output'?"),
    UsageCase(
      "train-draft a b --checkpoint c",
      "there is no option '--checkpoint'; the adapter is a word by itself, before the data"),
    UsageCase(
      "run --checkpoint a", "there is no option '--checkpoint'; the adapter is a word by itself"),
    UsageCase(
      "run a --draft-checkpoint b",
      "there is no option '--draft-checkpoint'; did you mean '--draft'?"),
    UsageCase(
      "import --adapter-name a", "there is no option '--adapter-name'; did you mean '--name'?"),
    UsageCase(
      "import --checkpoint a", "there is no option '--checkpoint'; its path is a word by itself"),
    UsageCase(
      "examples.train_adapter",
      "there is no command 'examples.train_adapter'; did you mean 'train'?"),
    UsageCase("export_fmadapter", "there is no command 'export_fmadapter'; did you mean 'import'?"),
  ])
  func whatWasMeantIsNamedWhole(_ example: UsageCase) {
    let error = #expect(throws: UsageError.self) {
      try ArgumentParser(root: .root).parse(example.words)
    }
    #expect(error?.description == example.message)
  }

  @Test func aTextIsAPrompt() {
    let error = #expect(throws: UsageError.self) {
      try ArgumentParser(root: .root).parse(["Who was Ada?"])
    }
    #expect(error?.description == "there is no command 'Who was Ada?'; did you mean 'run'?")
  }

  @Test func namesOfOtherToolsAreThoseOfOptions() {
    func check(_ command: Command) {
      for (name, meant) in command.optionsKnownElsewhere {
        let isThere = command.allOptions.contains { $0.name == meant }
        #expect(isThere || meant.contains(" "), "\(command.name) \(name)")
        #expect(!command.allOptions.contains { $0.isCalled(name) }, "\(command.name) \(name)")
        #expect(name.hasPrefix("-") && name == name.lowercased() && !name.contains("_"))
      }
      command.children.forEach(check)
    }
    check(.root)
  }

  @Test(arguments: [
    ["--help"], ["-h"], ["help"], ["help", "help"], ["sing", "-h"], ["help", "sing"],
    ["help", "sing", "--json"], ["sing", "--bad", "--help"],
  ])
  func helpIsAlwaysGiven(_ words: [String]) throws {
    guard case .help(let command, _) = try ArgumentParser(root: Sample.root).parse(words) else {
      Issue.record("no help for \(words)")
      return
    }
    #expect(command.name == (words.contains("sing") ? "sing" : "sample"))
  }

  @Test func tokenListsAreRead() {
    #expect(ValueType<[Int32]>.tokens.read("1, 2,3") == [1, 2, 3])
    for text in ["", "1,,2", "1,x", "-1", "99999999999"] {
      #expect(ValueType<[Int32]>.tokens.read(text) == nil, "\(text)")
    }
  }
}
