import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import TensorFiles

/// The model family that a GGUF file states, and its tensor with the most values.
func summary(of path: String) throws -> String {
  let file = try GGUFFile(path: path)
  let architecture = try file.metadata.string("general.architecture") ?? "unknown"
  let largest = file.tensors.max { $0.count < $1.count }
  return "\(architecture), \(largest?.name ?? "no tensor")"
}
// docs:end

// docs:begin
import Kernels

/// The values of a tensor as floats, however they are stored; nil where there is none of this name.
func values(of name: String, in path: String) throws -> [Float]? {
  try GGUFFile(path: path).tensor(named: name).map { dequantize($0.type, bytes: $0.bytes) }
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let base = Fixtures.repository.appendingPathComponent("adapters/afm-9m/afm-9m.gguf").path
    #expect(try summary(of: base) == "afm, token_embd.weight")
    #expect(try values(of: "output_norm.weight", in: base)?.count == 256)
  }
}
