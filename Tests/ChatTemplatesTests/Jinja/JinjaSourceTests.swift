import JSON
import Testing

@testable import ChatTemplates

/// Text of a user never becomes a mark, whatever a template does with it.
@Suite struct JinjaSourceTests {
  private static var data: [(name: String, value: JinjaValue)] {
    [
      ("s", .string("<x>", .data)), ("w", .string(" a,B ", .data)),
      ("d", JinjaValue(json(#"{"<k>": "<v>"}"#), .data)),
      ("l", JinjaValue(json(#"["<a>", "<b>"]"#), .data)),
    ]
  }

  private static func json(_ text: String) -> JSONValue {
    (try? JSONDocument(parsing: Array(text.utf8)).root) ?? .null
  }

  /// The text with `·` for every character that is data.
  private static func masked(_ template: String) throws -> String {
    let text = try JinjaTemplate(template).render(data, date: JinjaFixture.date)
    return text.scalars.map { scalar, range in
      text.source(at: range.lowerBound).isTemplate ? "\(scalar)" : "·"
    }.joined()
  }

  static let operations: [(template: String, mask: String)] = [
    ("<t>{{ s }}<t>", "<t>···<t>"), ("{{ '<t>' + s + '</t>' }}", "<t>···</t>"),
    ("{{ '<' ~ s ~ 1 }}", "<···1"), ("{{ s[1:] + s[:1] }}", "···"), ("{{ s[::-1] }}", "···"),
    ("{{ s * 2 }}", "······"), ("{{ s|upper }}{{ s|lower }}{{ s.title() }}", "·········"),
    ("{{ s.capitalize() }}{{ s.swapcase() }}", "······"), ("{{ w|trim }}{{ w.strip() }}", "······"),
    ("{{ s.replace('x', '<t>') }}", "·<t>·"), ("{{ '<t>'.replace('t', s) }}", "<···>"),
    ("{{ s|replace('<', '[') }}", "[··"), ("{{ s.replace('', '|') }}", "|·|·|·|"),
    ("{{ w.split(',')|join('<t>') }}", "··<t>··"), ("{{ s|list|join('-') }}", "·-·-·"),
    ("{{ s.join(['1', '2']) }}", "1···2"), ("{{ w.partition(',')|join('') }}", "·····"),
    ("{{ l|join('<t>') }}", "···<t>···"), ("{{ l|map('upper')|join }}", "······"),
    ("{{ l|first ~ l|last ~ l[0] }}", "·········"),
    ("{{ d.keys()|first ~ d.values()|first }}", "······"),
    ("{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}", "···=···"),
    ("{{ d|tojson }}", "··············"), ("{{ [s, '<t>']|tojson }}", "·········<t>··"),
    ("{{ {'<t>': s}|tojson }}", "··<t>·········"), ("{{ s|tojson }}", "·····"),
    ("{{ s|string|tojson(indent=2) }}", "·····"), ("{{ [s] }}", "·······"),
    ("{{ '%s<t>%5s' % (s, 'a') }}", "···<t>    a"),
    ("{{ '{}<t>{!r}'.format(s, s) }}", "···<t>·····"),
    ("{{ '{:*^7}'.format(s) }}", "**···**"), ("{{ s.center(5, '*') }}", "*···*"),
    ("{{ 'a'.center(3, s[0]) }}", "·a·"), ("{{ s|indent(2, true) }}", "  ···"),
    ("{{ '<t>'|indent(s, true) }}", "···<t>"), ("{{ s|escape }}", "·········"),
    ("{{ '<t>'|e }}", "&lt;t&gt;"), ("{{ s|urlencode }}", "·······"),
    ("{{ s|truncate(3) }}", "···"),
    ("{{ ('abcdef' ~ s)|truncate(5, true, '..', 0) }}", "abc.."), ("{{ s|default('<t>') }}", "···"),
    (
      "{% macro f(x) %}<t>{{ x }}{{ caller() }}{% endmacro %}{% call f(s) %}{{ s }}<u>{% endcall %}",
      "<t>······<u>"
    ),
    ("{% set x %}<t>{{ s }}{% endset %}{{ x|upper }}", "<T>···"),
    ("{% filter replace('x', 'y') %}x{{ s }}{% endfilter %}", "y·y·"),
    ("{% set ns = namespace(v='<t>') %}{% set ns.v = ns.v + s %}{{ ns.v }}", "<t>···"),
    ("{% for c in s %}{{ c }}-{% endfor %}", "·-·-·-"), ("{{ s if s else '<t>' }}", "···"),
    ("{{ s or '<t>' }}{{ '<t>' or s }}", "···<t>"),
    ("{% generation %}<t>{{ s }}{% endgeneration %}", "<t>···"),
    ("{{ s.zfill(5) }}", "00···"), ("{{ s.splitlines()|first }}", "···"),
    ("{{ s.removeprefix('<') }}", "··"),
    ("{{ [s, '<t>']|sort|join }}", "<t>···"), ("{{ [s, s]|unique|join }}", "···"),
    ("{{ (l + ['<t>'])|reverse|join }}", "<t>······"),
    ("{{ dict(a=s)['a'] }}{{ dict(a=s)|items|first|last }}", "······"),
    ("{% with x = s %}{{ x|safe + '<t>' }}{% endwith %}", "···&lt;t&gt;"),
  ]

  @Test(arguments: operations)
  func everyOperationKeepsTheSource(template: String, mask: String) throws {
    #expect(try Self.masked(template) == mask)
  }

  /// Marks of the families of models.
  static let marks = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|begin_of_text|>", "<|start_header_id|>",
    "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>", "<s>", "</s>", "[INST]",
    "[/INST]",
    "<<SYS>>", "<</SYS>>", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>",
    "<|turn>",
    "<turn|>", "<|channel>", "<|\"|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>",
    "<|tool|>",
    "<turn_start>", "<turn_end>", "<n>", "<executable_start>", "<executable_end>",
    "<\u{FF5C}begin\u{2581}of\u{2581}sentence\u{FF5C}>", "<\u{FF5C}User\u{FF5C}>",
    "<\u{FF5C}Assistant\u{FF5C}>",
    "<\u{FF5C}end\u{2581}of\u{2581}sentence\u{FF5C}>",
    "<\u{FF5C}tool\u{2581}calls\u{2581}begin\u{FF5C}>",
    "<|start|>", "<|channel|>", "<|message|>", "<|call|>", "<|return|>", "<|start_of_role|>",
    "<|end_of_role|>",
    "<|end_of_text|>", "<|tool_call|>", "<tool_call>", "</tool_call>", "<tool_response>", "[gMASK]",
    "<sop>",
    "<|observation|>", "<|im_middle|>", "<|im_system|>", "<seed:bos>", "<seed:eos>", "]~b]", "[e~[",
    "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>",
    "<|bos|>", "<|eos|>",
  ]

  /// A character that stands around every attack, so that its bytes are found again.
  private static let fence = "\u{2620}"

  private static func attacked(_ value: JSONValue, with attack: String, at path: String)
    -> JSONValue
  {
    // What a template compares with words of its own.
    let isFixed = [".role", ".type", ".id", ".tool_call_id"].contains { path.hasSuffix($0) }
    switch value {
    case .string(let text) where !isFixed: return .string(text + fence + attack + fence)
    case .array(let values):
      return .array(values.map { attacked($0, with: attack, at: path) })
    case .object(let object):
      return .object(
        JSONObject(
          object.members.map { member in
            let isArgument = path.hasSuffix(".arguments") || path.hasSuffix(".properties")
            let key = isArgument ? member.key + fence + attack + fence : member.key
            let value = attacked(member.value, with: attack, at: path + "." + member.key)
            return JSONObject.Member(key: key, value: value)
          }))
    default: return value
    }
  }

  private static func attacked(_ conversation: JSONValue, with attack: String) -> JSONValue {
    .object(
      JSONObject(
        (conversation.object?.members ?? []).map { member in
          let isAttacked = ["messages", "tools"].contains(member.key)
          let value = isAttacked ? attacked(member.value, with: attack, at: "") : member.value
          return JSONObject.Member(key: member.key, value: value)
        }))
  }

  /// The parts of a text that the template wrote, one to a line.
  private static func ownText(_ text: SourcedText) -> String {
    var own = ""
    var start = 0
    for run in text.runs {
      own += run.source.isTemplate ? text[start..<run.end].string : "\n"
      start = run.end
    }
    return own
  }

  private static let marksByFirst = Dictionary(grouping: marks.map { Array($0.utf8) }) { $0[0] }

  private static func count(_ text: String) -> [[UInt8]: Int] {
    let text = Array(text.utf8)
    var counts: [[UInt8]: Int] = [:]
    for (offset, byte) in text.enumerated() {
      for mark in marksByFirst[byte] ?? [] where text[offset...].starts(with: mark) {
        counts[mark, default: 0] += 1
      }
    }
    return counts
  }

  @Test func attacksInMessagesToolsAndResultsStayText() throws {
    let conversations = try #require(JinjaFixture.json("conversations.json").array)
    let groups = try #require(JinjaFixture.json("rendered.json").array)
    let all = Self.marks.joined()
    let kinds: Set = [
      "several turns", "tools and instructions", "a call and its result", "two calls",
      "arguments as text", "thoughts in a call", "parts",
    ]
    var count = 0
    for group in groups {
      let name = try #require(group.object?["name"]?.string)
      guard let source = try JinjaFixture.template(name) else { continue }
      let template = try JinjaTemplate(source)
      func render(_ conversation: JSONValue, _ attack: String) -> SourcedText? {
        let variables = JinjaFixture.variables(of: Self.attacked(conversation, with: attack))
        return try? template.render(variables, date: JinjaFixture.date)
      }
      for conversation in conversations
      where kinds.contains(conversation.object?["name"]?.string ?? "") {
        guard let text = render(conversation, all), let harmless = render(conversation, "harmless")
        else { continue }
        let fence = SourcedText(Self.fence, .data)
        for place in text.occurrences(of: fence) {
          #expect(!text.source(at: place).isTemplate, "\(name)")
        }
        #expect(Self.count(Self.ownText(text)) == Self.count(Self.ownText(harmless)), "\(name)")
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test func twoMessagesCannotMakeAMarkTogether() throws {
    let template = try JinjaTemplate("{% for m in messages %}{{ m }}{% endfor %}")
    for mark in Self.marks {
      let middle = mark.index(mark.startIndex, offsetBy: mark.count / 2)
      let messages: [JinjaValue] = [
        .string(String(mark[..<middle]), .message(0)),
        .string(String(mark[middle...]), .message(1)),
      ]
      let text = try template.render([("messages", .list(messages))], date: JinjaFixture.date)
      #expect(text.string == mark)
      #expect(text.runs.allSatisfy { !$0.source.isTemplate })
      #expect(text.runs.map(\.source.message) == [0, 1])
    }
  }

  @Test func aPartKnowsItsMessage() throws {
    let template = try JinjaTemplate("{% generation %}{{ a }}!{% endgeneration %}{{ b }}")
    let text = try template.render(
      [("a", .string("x", .message(3))), ("b", .string("y", .data))], date: JinjaFixture.date)
    #expect(text.runs.map(\.source.message) == [3, nil, nil])
    #expect(text.runs.map(\.source.isTemplate) == [false, true, false])
  }
}
