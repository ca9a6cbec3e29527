import Foundation
import TensorFiles
import TestSupport
import Testing

@testable import AdapterTraining

@Suite struct CutCheckpointTests {
  /// Lost pages of a mapping read as zeros, which would be a state like any other.
  @Test func aCheckpointThatIsCutAsItIsReadChangesNothing() throws {
    let fixture = try GradientFixture("qwen2")
    let folder = try TemporaryDirectory()
    let path = folder.path("point")
    func trainer() throws -> AdapterTrainer {
      var options = TrainingOptions()
      (options.rank, options.steps, options.warmupSteps) = (2, 3, 1)
      (options.threads, options.precision) = (1, .single)
      return try AdapterTrainer(fixture.model, examples: fixture.examples, options: options)
    }
    let first = try trainer()
    if let step = try first.step() { try first.note(step) }
    try first.writeCheckpoint(to: path)
    let file = try SafetensorsFile(path: path)
    #expect(truncate(path, try #require(file.tensors.first).fileOffset) == 0)
    let second = try trainer()
    let before = second.factors
    #expect(throws: TrainingError.file(.changed(path: path))) { try second.resume(from: file) }
    #expect(second.stepsDone == 0 && second.factors == before)
  }
}
