import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import LanguageModels

/// Up to 16 tokens after `prompt`, drawn with a seed: the same ones each time.
func continuation(of prompt: [Int32], base: String) throws -> [Int32] {
  let session = try ModelSession(BaseModel(path: base))
  let options = SamplingOptions(temperature: 0.8, seed: 7, maximumTokens: 16)
  let generator = try TokenGenerator(session, prompt: prompt, options: options)
  var tokens: [Int32] = []
  while let token = try generator.next() { tokens.append(token) }
  return tokens
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    let tokens = try continuation(of: [1, 50, 60], base: base)
    #expect(tokens.count == 16)
    #expect(try continuation(of: [1, 50, 60], base: base) == tokens)
  }
}
