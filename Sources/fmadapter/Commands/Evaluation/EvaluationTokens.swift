import AdapterTraining
import ChatTemplates
import Chats
import Grammars
import SystemFiles
import Tokenization

/// Lines of a file as tokens, the same ones for a base and all of its adapters; their places are those in the file.
struct EvaluationTokens {
  /// What is to be answered.
  struct Prompt {
    let place: Int
    let tokens: [Token]
    /// Writes the tools of the line, and reads what calls them; nil where there are none.
    let offering: ChatRenderer?
    /// Lets only calls come that fit.
    let constraint: (any TokenConstraint)?
  }

  /// What is to be foretold.
  private(set) var wholes: [(place: Int, tokens: TokenizedExample)] = []
  /// Each option as the answer, in each order that the options are shown in.
  private(set) var options: [(place: Int, orders: [[TokenizedExample]])] = []
  private(set) var prompts: [Prompt] = []

  /// The lines at the places of `range`.
  ///
  /// - Throws: `Failure` with the line that cannot be rendered.
  init(
    _ part: EvaluationSources.Part, _ range: Range<Int>, _ renderer: ExampleRenderer
  ) throws {
    for (place, example) in zip(range, part.examples[range]) {
      do {
        if let whole = example.whole { wholes.append((place, try renderer.render(whole))) }
        if !example.options.isEmpty { options.append((place, try renderer.options(example))) }
        if example.isAsked { prompts.append(try Self.prompt(place, example, renderer)) }
      } catch DataSetError.rendering(let defect, let line) {
        throw Failure(.invalid, "\(example.file): line \(line): \(defect)")
      } catch let defect as GrammarDefect {
        throw Failure(.invalid, "\(example.file): line \(example.line): \(defect)")
      }
    }
  }

  private static func prompt(
    _ place: Int, _ example: EvaluationExample, _ renderer: ExampleRenderer
  ) throws -> Prompt {
    let tokens = try renderer.prompt(example)
    let offering = try renderer.offering(example)
    guard !offering.tools.isEmpty else {
      return Prompt(place: place, tokens: tokens, offering: nil, constraint: nil)
    }
    return Prompt(
      place: place, tokens: tokens, offering: offering,
      // Where only the right answer says what may be called, that is not given away.
      constraint: example.tools.isEmpty
        ? nil : try offering.constraint(limit: ToolRounds.usualCalls))
  }
}
