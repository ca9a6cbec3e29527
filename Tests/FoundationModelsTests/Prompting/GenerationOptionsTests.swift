import FoundationModels
import Testing

struct GenerationOptionsTests {
  @Test func nothingIsSetUnlessSaid() {
    let options = GenerationOptions()
    #expect(options.sampling == nil)
    #expect(options.temperature == nil)
    #expect(options.maximumResponseTokens == nil)
  }

  @Test func modesDifferByKindNumberAndSeed() {
    let modes: [GenerationOptions.SamplingMode] = [
      .greedy, .random(top: 4), .random(top: 5), .random(top: 4, seed: 1),
      .random(probabilityThreshold: 0.5), .random(probabilityThreshold: 0.5, seed: 1),
    ]
    for (index, mode) in modes.enumerated() {
      #expect(modes.firstIndex(of: mode) == index)
    }
  }
}
