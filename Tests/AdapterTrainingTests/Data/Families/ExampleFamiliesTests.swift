import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct ExampleFamiliesTests {
  private static func families(_ prompts: [String]) -> [Int] {
    var families = ExampleFamilies()
    for (index, prompt) in prompts.enumerated() { families.add(example(prompt, "\(index)", index)) }
    return families.families()
  }

  private static func example(_ prompt: String, _ answer: String, _ index: Int) -> TrainingExample {
    TrainingExample(
      .chat([TrainingMessage(.user, prompt), TrainingMessage(.assistant, answer)], tools: []),
      line: index + 1)
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let texts: [String]
    let areAlike: Bool

    init(_ what: String, _ texts: String..., alike: Bool = true) {
      (testDescription, self.texts, areAlike) = (what, texts, alike)
    }
  }

  static let pairs = [
    Pair("case and punctuation", "Hey, turn it off!", "hey turn it off"),
    Pair("numbers", "Move 30 euros to my savings", "move 1,250.50 euros to my savings"),
    Pair("clock times", "wake me up at 7:30 tomorrow", "wake me up at 11 tomorrow"),
    Pair("one word", "Ask Anna about the invoice", "Ask Ben about the invoice"),
    Pair(
      "a place of several words", "Where is the nearest pharmacy that is open today",
      "Where is the nearest coffee shop that is open today"),
    Pair(
      "two words", "please book a table for Anna at the Lion",
      "please book a table for Otto at the Bear"),
    Pair("a word more", "can you turn the heating up", "can you please turn the heating up"),
    Pair(
      "a question's own words", "What is the capital of Peru?", "How far is the moon?", alike: false
    ),
    Pair("function words alone", "How do I bake a cake", "How do I fix my old car", alike: false),
    Pair("few words", "lights on", "lights off", alike: false),
    Pair("sums", "What is 2 + 2", "What is 17 + 4", alike: false),
    Pair("other letters", "Когда приходит мой заказ домой?", "когда приходит МОЙ заказ Домой"),
    Pair("signs without spaces", "我想把灯打开好吗", "我想把门打开好吗"),
    Pair(
      "letters without spaces", "ระยะเวลารับประกันของโคมไฟนานแค่ไหนกันแน่",
      "ระยะเวลารับประกันของเสื้อโค้ทนานแค่ไหนกันแน่"),
    Pair("few letters without spaces", "ไปกินกัน", "ไปดูกัน", alike: false),
    Pair(
      "letters that are composed or not", "Khi nào đơn hàng của tôi đến",
      "Khi na\u{300}o đơn ha\u{300}ng của tôi đến"
    ),
    Pair("widths", "ＡＢＣ　ｔｏ　ＤＥＦ", "abc to def"),
    Pair(
      "digits of Arabic",
      "أريد أن أحجز من فضلكم طاولة لعدد ٤ أشخاص في مطعمكم يوم ١٢ من هذا الشهر الساعة ٧ مساء",
      "أريد أن أحجز من فضلكم طاولة لعدد ٦ أشخاص في مطعمكم يوم ٣٠ من هذا الشهر الساعة ٩ مساء"),
    Pair("emoji", "😀", "😢", alike: false),
    Pair(
      "long texts with some other words",
      "The ship left the harbour in the morning with forty barrels of salted fish and two passengers who had not paid for the journey yet",
      "The ship left the harbour in the morning with forty barrels of red wine and two passengers who had not paid for their journey yet"
    ),
    Pair(
      "long texts that begin alike",
      "The ship left the harbour in the morning with forty barrels of salted fish and two passengers who had not paid for the journey yet",
      "The ship left the harbour in the evening because the captain had lost his best hat in a game of cards and wanted to look for it",
      alike: false),
  ]

  @Test(arguments: pairs) func textsAreCompared(_ pair: Pair) {
    #expect((Self.families(pair.texts) == [0, 0]) == pair.areAlike)
  }

  @Test func whatTheSameTextIsLikeIsOneFamily() {
    let texts = [
      "please open the door in the hall", "please open the window in the hall",
      "please close the window in the hall", "a poem on the sea",
    ]
    #expect(Self.families(texts) == [0, 0, 0, 3])
  }

  /// Sentences that stand beside everything are no part of a template.
  @Test func greetingsDoNotMatter() {
    let things = ["lamp", "coat", "drum", "tent", "clock", "chair", "kettle", "mirror"]
    let before = ["", "Good morning. ", "Dear team. ", "Hi, I need some help. "]
    let after = ["", " Thank you.", " Please answer soon."]
    var texts: [String] = []
    for (number, thing) in things.enumerated() {
      for (other, frame) in [
        "I was charged twice for the THING.", "When is my THING to be repaired?",
      ].enumerated() {
        for turn in 0..<3 {
          texts.append(
            before[(number + other + turn) % 4] + frame.replacing("THING", with: thing)
              + after[(number + turn) % 3])
        }
      }
    }
    #expect(Set(Self.families(texts)).count == 2)
  }

  @Test func greetingsInChineseDoNotMatter() {
    let texts = ["灯的费用被重复收取了。", "我的大衣什么时候能修好？"].flatMap { text in
      ["", "你好。", "早上好！", "您好，我需要帮助。"].flatMap { before in
        ["", "谢谢。", "请尽快回复！"].map { before + text + $0 }
      }
    }
    #expect(Set(Self.families(texts)).count == 2)
  }

  /// Which long texts are near duplicates, and so what is held out of a set, depends on the hashes.
  @Test func wordsKeepTheirHashes() {
    var reader = WordReader()
    reader.take("The cafe 2 Café naïve cats")
    reader.finish()
    #expect(
      reader.words == [
        0x297A_B8EE_FFEB_EF7F, 0x3B53_FFBD_4DB4_47F2, 1, 0x8D2E_297D_275E_BE43,
        0x5022_8242_0212_E51B, 0xEAE8_06C4_B4A1_4D7E,
      ])
  }

  @Test func answersAndInstructionsDoNotMatter() {
    var families = ExampleFamilies()
    for (index, thing) in ["the tall tower over there", "a small and quiet village"].enumerated() {
      families.add(
        TrainingExample(
          .chat(
            [
              TrainingMessage(.system, "Answer in one short sentence, and say please"),
              TrainingMessage(.user, thing),
              TrainingMessage(.assistant, "It is what it is, you see"),
            ], tools: []), line: index + 1))
    }
    #expect(families.families() == [0, 1])
  }

  private static let templates = [
    "please send me the bill for my THING again", "how long does it take to repair a THING of mine",
    "the THING that I bought here is broken", "may I pay for this THING by card in your shop",
    "my old THING is not what it used to be", "I would like to return one THING that I never used",
    "which THING do you sell to people like me", "nobody told us that the THING has no guarantee",
  ]
  private static let things = [
    "lamp", "coat", "drum", "tent", "clock", "chair", "kettle", "mirror", "kite", "ladder",
  ]

  /// Ten fillings of each of eight templates, with an answer by the numbers of both.
  private static func filled(
    _ answer: (_ template: Int, _ thing: Int) -> String
  ) -> ExampleFamilies {
    var families = ExampleFamilies()
    for (template, text) in templates.enumerated() {
      for (thing, word) in things.enumerated() {
        families.add(
          example(
            text.replacing("THING", with: word), answer(template, thing), 10 * template + thing))
      }
    }
    return families
  }

  @Test func templatesStandOnOneSide() throws {
    for seed in 0..<5 as Range<UInt64> {
      let families = Self.filled { _, _ in "yes" }
      let (held, summary) = try #require(families.heldOut(share: 0.25, seed: seed))
      #expect(held.count == 20)
      #expect(Set(held.map { $0 / 10 }).count == 2)
      #expect(
        summary == .init(count: 8, largest: 10, lines: [1, 2], examples: [0, 1], isDivided: false))
    }
  }

  /// Texts of their own beside an answer that comes again are no classes, and are measured like all others.
  @Test func answersBesideAFrequentOneAreHeldOut() throws {
    let families = Self.filled { $0 == 7 ? Self.things[$1] : "none" }
    let found = try (0..<40 as Range<UInt64>).map { seed in
      try #require(families.heldOut(share: 0.25, seed: seed))
    }
    #expect(found.allSatisfy { $0.examples.count == 20 && $0.summary.absent == nil })
    #expect(found.contains { $0.examples.contains(70) })
  }

  /// An answer that comes once is on one side whatever is done, and no family is divided for it.
  @Test func answersThatComeOnceDivideNothing() throws {
    let families = Self.filled { $1 == 0 ? "only \($0)" : "\($1 % 3)" }
    for seed in 0..<20 as Range<UInt64> {
      let (held, summary) = try #require(families.heldOut(share: 0.125, seed: seed))
      #expect(!summary.isDivided && summary.absent == nil)
      #expect(held.count == 10 && Set(held.map { $0 / 10 }).count == 1)
    }
  }

  /// Classes of a few examples are learnt, too, although many have one.
  @Test func smallClassesAreLearnt() throws {
    var families = ExampleFamilies()
    var templates: [Int] = []
    for (template, size) in [10, 10, 4, 3].enumerated() {
      for thing in Self.things.prefix(size) {
        let text = Self.templates[template].replacing("THING", with: thing)
        families.add(Self.example(text, "\(template)", templates.count))
        templates.append(template)
      }
    }
    for seed in 0..<20 as Range<UInt64> {
      let (held, _) = try #require(families.heldOut(share: 0.125, seed: seed))
      let learnt = templates.indices.filter { !held.contains($0) }
      #expect(Set(learnt.map { templates[$0] }).count == 4)
    }
  }

  /// Each answer of a few is learnt and measured, by families of its own, if more are held out than were asked for.
  @Test func someOfEachAnswerAreHeldOut() throws {
    let families = Self.filled { template, _ in "\(template % 3)" }
    for seed in 0..<20 as Range<UInt64> {
      let (held, summary) = try #require(families.heldOut(share: 0.2, seed: seed))
      #expect(summary.absent == nil)
      #expect(held.count == 30)
      #expect(Set(held.map { $0 / 10 % 3 }) == [0, 1, 2])
      #expect(Set(held.map { $0 / 10 }).count == 3)
    }
  }

  /// An answer of few that cannot be held out is learnt, and named, as its figures would be missed by nobody.
  @Test func answersThatAreNotHeldOutAreNamed() throws {
    let families = Self.filled { template, _ in template == 7 ? "no" : "yes" }
    for seed in 0..<20 as Range<UInt64> {
      let (held, summary) = try #require(families.heldOut(share: 0.125, seed: seed))
      #expect(summary.absent == .init(count: 1, total: 2, line: 71, example: 70))
      #expect(held.count == 10)
      #expect(held.allSatisfy { $0 < 70 })
    }
  }

  /// Where each answer has one wording, and things alone differ, some of the things are held out.
  @Test func familiesThatAreAllOfAnAnswerAreDivided() throws {
    let families = Self.filled { template, _ in "\(template)" }
    for seed in 0..<20 as Range<UInt64> {
      let (held, summary) = try #require(families.heldOut(share: 0.1, seed: seed))
      #expect(
        summary == .init(count: 8, largest: 10, lines: [1, 2], examples: [0, 1], isDivided: true))
      #expect(held.count == 8)
      #expect(Set(held.map { $0 / 10 }).count == 8)
    }
  }

  /// Each answer has a family that is more than is wanted, and one other example, which would be all that is measured.
  @Test func largeFamiliesOfAnAnswerAreDivided() throws {
    var families = ExampleFamilies()
    let texts = Self.templates[..<4].flatMap { template in
      Self.things.map { template.replacing("THING", with: $0) }
    }
    let others = ["good morning", "where is everybody", "no idea", "tell me more"]
    for (index, text) in (texts + others).enumerated() {
      families.add(Self.example(text, "\(index < 40 ? index / 10 : index - 40)", index))
    }
    for seed in 0..<20 as Range<UInt64> {
      let (held, summary) = try #require(families.heldOut(share: 0.2, seed: seed))
      #expect(held.count == 9)
      #expect(
        summary == .init(count: 8, largest: 10, lines: [1, 2], examples: [0, 1], isDivided: true))
    }
  }

  @Test func aFamilyThatIsNearlyAllIsDivided() throws {
    var families = ExampleFamilies()
    let texts = Self.things.map { Self.templates[0].replacing("THING", with: $0) }
    for (index, text) in (texts + texts.map { $0.uppercased() }).enumerated() {
      families.add(Self.example(text, "\(index)", index))
    }
    let (held, summary) = try #require(families.heldOut(share: 0.2, seed: 1))
    #expect(
      summary == .init(count: 1, largest: 20, lines: [1, 2], examples: [0, 1], isDivided: true))
    // Two wordings of two examples each.
    #expect(held.count == 4)
    #expect(Set(held.map { $0 % 10 }).count == 2)
  }

  @Test func equalQuestionsAreDividedByExample() throws {
    var families = ExampleFamilies()
    for index in 0..<10 { families.add(Self.example("Write me a play", "\(index)", index)) }
    #expect(try #require(families.heldOut(share: 0.3, seed: 0)).examples.count == 3)
    var same = ExampleFamilies()
    for index in 0..<3 { same.add(Self.example("Write me a play", "A", index)) }
    #expect(same.heldOut(share: 0.3, seed: 0) == nil)
  }

  /// The messages to a shop, which a generator made of templates, courtesies and things: what is held out has other templates.
  @Test func theExampleDataSetIsDividedByTemplates() throws {
    let folder = try TemporaryDirectory()
    let path = Fixtures.repository.appendingPathComponent("adapters/examples/triage.jsonl").path
    let result = try DataSplit(share: 0.1, seed: 0).write([path], into: folder.path("out"))
    #expect((36...60).contains(result.heldOutCount))
    #expect(result.families.count == 193)
    #expect(!result.families.isDivided)
    #expect(result.families.absent == nil)
    let report = try DataCheck().run([result.training, result.heldOut])
    #expect(report.findings.isEmpty, "\(report)")
  }
}
