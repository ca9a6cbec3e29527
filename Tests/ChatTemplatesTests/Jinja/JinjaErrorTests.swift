import Testing

@testable import ChatTemplates

@Suite struct JinjaErrorTests {
  private static func error(_ template: String, _ limits: JinjaLimits = JinjaLimits())
    -> JinjaError?
  {
    do throws(JinjaError) {
      _ = try JinjaTemplate(template).render(
        [("x", .string("text", .data)), ("none", .none)], date: JinjaFixture.date, limits: limits)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    (
      "{{ raise_exception('no tools') }}",
      "line 1, column 19: the template refuses the chat: no tools"
    ),
    ("a\n{{ x + }}", "line 2, column 8: expected an expression, found the end of the tag"),
    ("{% if x %}", "line 1, column 4: the block “if” has no end"),
    ("{{ x", "line 1, column 1: a tag has no end"),
    ("{{ 'x", "line 1, column 4: a string has no end"),
    ("{# x", "line 1, column 1: a comment has no end “#}”"),
    ("{% raw %}x", "line 1, column 1: a raw block has no end “{% endraw %}”"),
    ("{{ $ }}", "line 1, column 4: the character “$” means nothing here"),
    ("{{ x) }}", "line 1, column 5: “)” closes nothing"),
    ("{{ '\\xZZ' }}", "line 1, column 5: an escape in a string is no character"),
    ("{% include 'x' %}", "line 1, column 4: the tag “include” is not known"),
    ("ä{{ x|foo }}", "line 1, column 7: the filter “foo” is not known"),
    ("{{ x|pprint }}", "line 1, column 6: the filter “pprint” is not supported"),
    ("{{ x is foo }}", "line 1, column 9: the test “foo” is not known"),
    ("{{ x.encode() }}", "line 1, column 6: the method “encode” of a text is not supported"),
    ("{{ y.z }}", "line 1, column 6: “y” is not defined"),
    ("{{ x.z.a }}", "line 1, column 8: a str has no “z”"),
    ("{{ {}['z'].a }}", "line 1, column 12: a dict has no item 'z'"),
    ("{{ 1 + x }}", "line 1, column 6: “+” has no meaning for a int and a str"),
    ("{{ none|length }}", "line 1, column 9: a NoneType has no length"),
    ("{{ x.index('q') }}", "line 1, column 11: a text is not found in another"),
    ("{{ x.upper(1) }}", "line 1, column 11: upper takes at most 0 arguments, not 1"),
    (
      "{% macro f(a) %}{% endmacro %}{{ f(b=1) }}",
      "line 1, column 35: the macro “f” has no argument “b”"
    ),
    (
      "{{ [].append(1) }}",
      "line 1, column 13: the method “append”, which changes a list, is not allowed in a template"
    ),
    ("{{ 1 // 0 }}", "line 1, column 6: a number is divided by zero"),
    ("{{ 9223372036854775807 + 1 }}", "line 1, column 24: an integer does not fit into 64 bits"),
    ("{{ range(100001) }}", "line 1, column 9: a range has more than 100000 numbers"),
  ])
  func namesThePlaceAndTheProblem(template: String, text: String) {
    #expect(Self.error(template).map { "\($0)" } == text)
  }

  @Test func describesLimits() {
    #expect("\(JinjaFault.tooManySteps(limit: 5))" == "rendering takes more than 5 steps")
    #expect("\(JinjaFault.tooMuchText(limit: 5))" == "rendering makes more than 5 bytes of text")
    #expect("\(JinjaFault.tooDeep(limit: 5))" == "things are nested more than 5 deep")
    #expect(
      "\(JinjaFault.templateTooLong(bytes: 9, limit: 5))"
        == "the template has 9 bytes, the limit is 5")
    #expect("\(JinjaFault.wrongValue("a value"))" == "a value")
  }

  /// Templates that would never end, or take all memory or the whole stack.
  @Test(arguments: [
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f(x) %}{{ [[[[[[[[f(x)]]]]]]]] }}{% endmacro %}{{ f(1) }}",
    "{% macro f() %}{{ caller() }}{% endmacro %}{% macro g() %}{% call f() %}{{ g() }}{% endcall %}{% endmacro %}{{ g() }}",
    "{% macro f(x=f()) %}{% endmacro %}{{ f() }}",
    "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x='x') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [ns.x] %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = {'x': ns.x} %}{% endfor %}",
    "{% set ns = namespace(x=['a']) %}{% for i in range(99999) %}{% set ns.x = ns.x|map('upper') %}{% endfor %}{{ ns.x|list }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(99999) %}{% set ns.x = [ns.x.index] %}{% endfor %}",
    "{% set ns = namespace(g=1) %}{% for i in range(60000) %}{% set ns.g = [1]|map(attribute='a', default=ns.g) %}{% endfor %}",
    "{% set ns = namespace(g=1) %}{% for i in range(60000) %}{% set ns.g = [1]|select('equalto', ns.g) %}{% endfor %}",
    "{% set ns = namespace(g=1) %}{% for i in range(60000) %}{% set ns.g = [1]|map('default', ns.g) %}{% endfor %}",
    "{% set ns = namespace(g=1) %}{% for i in range(60000) %}{% for j in [ns.g] %}{% set ns.g = loop.cycle %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(g=1) %}{% for i in range(60000) %}{% for j in [1] %}{% set x = loop.changed(ns.g) %}{% set ns.g = loop.changed %}{% endfor %}{% endfor %}",
    "{% set x = 'a' * 9999999 %}{% for c in x %}{% endfor %}", "{{ ('a' * 9999999)|reverse }}",
    "{% set x = 'a' * 999999 %}{% for i in range(99999) %}{% if x[5] %}{% endif %}{% endfor %}",
    "{% set x = 'a' * 999999 %}{% for i in range(99999) %}{% if x[0:1] %}{% endif %}{% endfor %}",
    "{% set x = 'a' * 999999 %}{% for i in range(99999) %}{% if x is upper %}{% endif %}{% endfor %}",
    "{% set x = 'a' * 999999 %}{% set d = {} %}{% for i in range(99999) %}{% if d[x] %}{% endif %}{% endfor %}",
    "{{ ('%f' * 10000) % ((1e-308,) * 10000) }}",
    "{% for i in range(99999) %}{{ 1e-308|round(15) }}{% endfor %}",
    "{{ ('%1000s' * 100000) % ((1,) * 100000) }}",
    "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
    "{% set ns = namespace(x=0) %}{% for a in range(99999) %}{% for b in range(9) %}{% set ns.x = namespace(x=ns.x) %}{% endfor %}{% endfor %}{{ ns }}",
    "{{ 'x' * 999999999999 }}", "{{ [1] * 999999999999 }}", "{{ '' * 999999999999 }}",
    "{{ (1,) * 99999999999 }}",
    "{{ range(999999999999)|list }}", "{{ range(-9223372036854775807, 9223372036854775807) }}",
    "{{ 'x'.center(999999999999) }}", "{{ 'x'.ljust(999999999999) }}",
    "{{ 'x'.zfill(999999999999) }}",
    "{{ 'x'|indent(999999999999) }}", "{{ [1]|tojson(indent=999999999999) }}",
    "{{ '%999999999999d' % 1 }}",
    "{{ '%.999999999999f' % 1 }}", "{{ '{:999999999999}'.format(1) }}", "{{ 9 ** 9 ** 9 }}",
    "{{ 9.5 ** 99999 ** 2 }}",
    "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}",
    "{{ ('a' * 1000000).replace('', 'b' * 1000000) }}",
    "{{ ('b' * 1000000).join('a' * 1000000) }}", "{{ ('a' * 1000000)|list|join('b' * 1000000) }}",
    "{{ [1]|batch(999999999999, 1)|list }}", "{{ [1]|slice(999999999999)|list }}",
    "{% set x = 'a' * 9999999 %}{% for i in range(99999) %}{% if x in x ~ 'b' %}{% endif %}{% endfor %}",
    "{% set x = 'a' * 999999 %}{% for i in range(99999) %}{{ x.split('a')|length }}{% endfor %}",
    "{% set x = 'a' * 999999 %}{% for i in range(99999) %}{% if x == x.upper() %}{% endif %}{% endfor %}",
    "{% set x = range(99999)|list %}{% for i in x %}{% if -1 in x %}{% endif %}{% endfor %}",
    "{% set x = range(99999)|list %}{% for i in x %}{% for j in x|sort %}{% break %}{% endfor %}{% endfor %}",
    "{% set x = 'ab' * 999999 %}{% for c in x %}{% break %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = x[5] %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = x[0:1] %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = x is upper %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = x is eq x %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = 'c'.strip(x) %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = {}[x] %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = {}.get(x) %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = {x: 1} %}{% endfor %}",
    "{% set x = 'ab' * 99999 %}{% for i in range(99999) %}{% set y = strftime_now(x) %}{% endfor %}",
    "{% set x = [('ab' * 99999)] * 9 %}{% for i in range(99999) %}{% set y = x|sort %}{% endfor %}",
    "{% set x = 'ab' * 9999999 %}{{ x[::2]|length }}",
    "{% set x = 'ab' * 999999 %}{{ x.split('a')|length }}", "{{ (' a' * 999999).split()|length }}",
    "{{ ('\\n' * 999999).splitlines()|length }}",
    "{% for i in range(99999) %}{% for j in range(99999) %}{% break %}{% endfor %}{% endfor %}",
    "{{ ('%f' * 999999) % ((1e-308,) * 999999) }}", "{{ ('%1000s' * 999999) % (('a',) * 999999) }}",
    "{{ ('{:1000}' * 999999).format(*(['a'] * 999999)) }}",
    "{% for i in range(99999) %}{% set x = 1e-308|round(15) %}{% endfor %}",
    "{% for i in range(99999) %}{% set x = [[1]|batch(99999, 1)] %}{% endfor %}",
    "{{ range(9)|list|tojson(indent='x' * 9999999) }}",
    "{% set ns = namespace(x=1) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=1) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x=1, y=1) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    "{% set ns = namespace(x=1) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {}[ns.x] }}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [1]|map(attribute='a', default=ns.x) %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [1]|map('default', ns.x) %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [1]|select('eq', ns.x) %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [1]|unique(ns.x) %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% for x in [ns.x] %}{% set ns.x = loop.cycle %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% for x in [ns.x] %}{% set ns.x = loop.changed %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% for x in [1] %}{% set y = loop.changed(ns.x) %}{% set ns.x = loop %}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% for i in range(99999) %}{% set ns.x = [ns.x].append %}{% endfor %}",
    "{% set ns = namespace(x=1) %}{% macro f() %}{% set ns.x = varargs %}{% endmacro %}{% for i in range(99999) %}{{ f(ns.x) }}{% endfor %}",
    "{% set x %}{% for i in range(99999) %}0123456789012345678901234567890123456789{% for j in range(99) %}0123456789{% endfor %}{% endfor %}{% endset %}{{ x }}{{ x }}{{ x }}",
  ])
  func hostileTemplatesEnd(template: String) throws {
    var limits = JinjaLimits()
    (limits.steps, limits.bytes) = (20_000, 16 << 20)
    let error = try #require(Self.error(template, limits))
    switch error.fault {
    case .tooManySteps, .tooMuchText, .tooDeep, .rangeTooLong, .wrongValue, .overflow, .unsupported:
      break
    default: Issue.record("\(error)")
    }
  }

  @Test(arguments: ["(", "[", "{'a':", "-", "not ", "x[", "x(", "x if x else "])
  func deepExpressionsAreRefused(opening: String) {
    let template = "{{ " + String(repeating: opening, count: 2_000)
    guard let error = Self.error(template) else {
      Issue.record("no error")
      return
    }
    // The lexer sees first that what is opened is not closed.
    #expect(
      [.tooDeep(limit: JinjaLimits.nesting), .syntax("a tag has no end")].contains(error.fault))
    let closing = ["(": ")", "[": "]", "{'a':": "}", "x[": "]", "x(": ")"][opening] ?? ""
    let whole =
      "{{ " + String(repeating: opening, count: 2_000) + "1"
      + String(repeating: closing, count: 2_000) + " }}"
    #expect(Self.error(whole)?.fault == .tooDeep(limit: JinjaLimits.nesting))
  }

  @Test(arguments: [
    "if x", "for x in x", "macro f()", "filter upper", "set x", "with", "generation",
  ])
  func deepBlocksAreRefused(tag: String) {
    let template = String(repeating: "{% \(tag) %}", count: 2_000)
    #expect(Self.error(template)?.fault == .tooDeep(limit: JinjaLimits.nesting))
  }

  @Test(arguments: [" + ", " ~ ", " and ", " or ", " * ", " == ", "|string|length + "])
  func longChainsAreNotDeep(symbol: String) {
    let template = "{{ " + Array(repeating: "1", count: 2_000).joined(separator: symbol) + " }}"
    #expect(Self.error(template)?.fault ?? .overflow == .overflow)
    let calls = "{{ x" + String(repeating: ".upper()", count: 2_000) + " }}"
    #expect(Self.error(calls) == nil)
  }

  @Test func longTemplatesAreRefused() {
    let template = String(repeating: "x", count: JinjaLimits.template + 1)
    #expect(
      Self.error(template)?.fault
        == .templateTooLong(bytes: JinjaLimits.template + 1, limit: JinjaLimits.template))
  }

  @Test func anyPartOfATemplateMayBeMissing() throws {
    // Whatever stands there, parsing ends with a template or an error.
    let bytes = Array(try #require(try JinjaFixture.template("Qwen-Qwen3-0.6B")).utf8)
    for end in stride(from: 0, to: bytes.count, by: 31) {
      _ = try? JinjaTemplate(String(decoding: bytes[..<end], as: UTF8.self))
      _ = try? JinjaTemplate(String(decoding: bytes[end...], as: UTF8.self))
    }
  }
}
