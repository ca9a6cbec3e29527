import AdapterStore
import Foundation
import Kernels
import TestSupport
import Testing

@testable import fmadapter

@Suite struct SuggestedModelsTests {
  @Test func everyEntryCanBeInstalledAndIsInOrder() throws {
    let models = SuggestedModel.all
    #expect(models.count >= 10)
    #expect(models.map(\.parameters) == models.map(\.parameters).sorted())
    #expect(Set(models.map(\.repository)).count == models.count)
    for model in models {
      let reference = try HubReference("hf:" + model.repository)
      #expect(reference.path == nil && reference.revision == nil)
      #expect(model.converts != model.repository.lowercased().contains("gguf"), "\(model.name)")
      for text in [model.name, model.license, model.goodFor] { #expect(!text.isEmpty) }
      // Nobody has run them with this program yet; who does adds the figures and mends this.
      #expect(model.runHere == nil)
    }
  }

  @Test func memoryIsOfParametersAndType() throws {
    let model = try #require(SuggestedModel.all.first { $0.name == "Qwen3 0.6B" })
    // 600,000,000 weights in blocks of 32 with 34 bytes, and 64 MiB.
    #expect(model.type == .q8_0 && model.weights == 637_500_000)
    #expect(model.memory == 637_500_000 + 64 << 20)
  }

  @Test func theCommandShowsThem() throws {
    let wide = try Tool.run("base", "list", "--suggest")
    #expect(wide.status == 0 && wide.text.hasPrefix("MODEL  "))
    #expect(wide.text.split(separator: "\n").count == SuggestedModel.all.count + 1)
    #expect(wide.text.contains("  not run  hf:HuggingFaceTB/SmolLM2-135M-Instruct --type q8_0\n"))
    let list = try Tool.run("base", "list", "--suggest", "--json").objects()
    #expect(list.count == SuggestedModel.all.count)
    #expect(list.allSatisfy { $0["runHere"] is NSNull })
    #expect(
      list.first?["command"] as? String
        == "fmadapter base install hf:HuggingFaceTB/SmolLM2-135M-Instruct --type q8_0")
    try Tool.run("base", "list", "--suggest", "--names").expectStatus(2)
  }

  @Test func whatDoesNotFitIsSaid() {
    let choices = [1, 5_000_000_000, 50_000_000_000].map {
      HubChoice(path: "m", size: $0, parts: 1, reference: "hf:o/r/m")
    }
    let memory = MachineMemory(total: 8_000_000_000, available: 4_000_000_000)
    let lines = HubChoiceList(kind: .base, choices: choices, memory: memory).lines.map(\.text)
    #expect(
      lines == [
        "", "  NAME         SIZE  MEMORY", "  hf:o/r/m   1 byte  fits",
        "  hf:o/r/m   5.0 GB  fits when other programs end", "  hf:o/r/m  50.0 GB  too large", "",
        "  This machine has 8.0 GB of memory, 4.0 GB of it free.",
      ])
    let many = HubChoiceList(
      kind: .package, choices: Array(repeating: choices[0], count: 61), memory: memory)
    #expect(many.lines.last?.text == "  and 1 more; --json lists all")
  }
}
