import TestSupport
import Testing

// The documentation shows this function.
// docs:begin
import SystemFiles

/// Copies the text at `path` to `copy`, which appears whole or not at all, and returns the digest of both.
func copyText(at path: String, to copy: String) throws -> String {
  let bytes = try FileSystem.read(path, limit: 1 << 20)
  try AtomicFile.write(bytes, to: copy)
  return try SHA256.hex(ofFile: copy)
}
// docs:end

@Suite struct ExampleTests {
  @Test func theExampleRuns() throws {
    let folder = try TemporaryDirectory()
    try AtomicFile.write(Array("abc".utf8), to: folder.path("a"))
    let digest = try copyText(at: folder.path("a"), to: folder.path("b"))
    #expect(digest == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(try FileSystem.read(folder.path("b"), limit: 9) == Array("abc".utf8))
  }
}
