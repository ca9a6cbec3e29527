import FoundationModels
import Testing

@Suite struct PrivateCloudTests {
  @Test func theCloudSaysThatItIsNotThere() async throws {
    let cloud = PrivateCloudComputeLanguageModel()
    #expect(cloud.availability == .unavailable(.deviceNotEligible) && !cloud.isAvailable)
    #expect(!cloud.quotaUsage.isLimitReached && cloud.supportedLanguages.isEmpty)
    #expect(!cloud.supportsLocale())
    let error = await #expect(throws: PrivateCloudComputeLanguageModel.Error.self) {
      try await LanguageModelSession(model: cloud).respond(to: "?")
    }
    #expect(
      error?.debugDescription
        == "Private Cloud Compute can be reached from Apple's systems only; use another model.")
    await #expect(throws: PrivateCloudComputeLanguageModel.Error.self) {
      try await cloud.contextSize
    }
  }
}
