import Foundation
import LanguageModels
import TestSupport
import Testing

@testable import fmadapter

@Suite struct MemoryNeedTests {
  private let system =
    "MemTotal:        8000000 kB\nMemFree: 1 kB\nMemAvailable:    5000000 kB\nSwapFree: 7 kB\n"

  @Test(
    arguments: [
      ([], MachineMemory(total: 8_192_000_000, available: 5_120_000_000, swap: 7168)),
      ([(1000, 400)], MachineMemory(total: 1000, available: 600)),
      ([(1000, 400), (2000, 1900)], MachineMemory(total: 1000, available: 100)),
      ([(1000, 2000)], MachineMemory(total: 1000, available: 0)),
      (
        [(9_000_000_000_000, 1)],
        MachineMemory(total: 8_192_000_000, available: 5_120_000_000, swap: 7168)
      ),
    ] as [([(Int, Int)], MachineMemory)])
  func memoryIsThatOfTheMachineOrTheContainer(
    _ groups: [(Int, Int)], _ wanted: MachineMemory
  ) {
    let groups = groups.map { ControlGroup(limit: $0.0, used: $0.1) }
    #expect(MachineMemory(system: system, groups: groups) == wanted)
    #expect(MachineMemory(system: "MemTotal: 8 kB\n", groups: groups) == nil)
  }

  @Test func groupsOfBothVersionsAreReadFromTheInnermostOut() {
    let files = [
      "a/b/memory.max": "3000\n", "a/b/memory.current": "2000\n",
      "a/b/memory.stat": "anon 500\ninactive_file 900\nactive_file 600\n",
      "a/memory.max": "max\n", "memory.max": "4000\n",
      "memory/x/memory.limit_in_bytes": "500\n", "memory/x/memory.usage_in_bytes": "400\n",
      "memory/x/memory.stat": "inactive_file 1\ntotal_inactive_file 100\ntotal_active_file 50\n",
    ]
    func groups(_ membership: String) -> [ControlGroup] {
      ControlGroup.all(membership: membership) { files[$0] }
    }
    let second = [ControlGroup(limit: 3000, used: 500), ControlGroup(limit: 4000, used: 0)]
    #expect(groups("0::/a/b\n") == second)
    // A path of the machine outside.
    #expect(groups("0::/elsewhere\n") == [second[1]])
    let first = [ControlGroup(limit: 500, used: 250)]
    #expect(groups("9:name=systemd:/x\n8:cpu,memory:/x\n3:cpu:/a/b\n") == first)
    #expect(groups("no line\n").isEmpty && groups("").isEmpty)
  }

  @Test func whatDoesNotFitIsRefusedBeforeItIsRead() throws {
    let capture = try Capture()
    let terminal = capture.terminal()
    let memory = MachineMemory(total: 8_000_000_000, available: 3_000_000_000, swap: 500_000_000)
    let large = MemoryNeed(path: "7b.gguf", own: 4_000_000_000, weights: 4_100_000_000)
    let failure = try #require(throws: Failure.self) { try large.check(memory, terminal) }
    #expect(failure.code == .storage)
    #expect(
      failure.text.problem
        == "7b.gguf does not fit: it takes 4.1 GB of memory, and 3.0 GB is free")
    #expect(
      failure.text.remedy
        == "end other programs, or take a base with fewer bits a weight; one that is installed can be compiled, 'fmadapter compile --base', and is read from the disk where memory is short"
    )
    // The system can move other programs' memory to the disk.
    try MemoryNeed(path: "s", own: 3_400_000_000, weights: 1).check(memory, terminal)
    try MemoryNeed(path: "s", own: 2_900_000_000, weights: 2_900_000_000).check(memory, terminal)
    #expect(capture.errors.isEmpty)
    // Weights that stay a file's.
    try MemoryNeed(path: "7b.gguf", own: 0, weights: 4_100_000_000).check(memory, terminal)
    #expect(
      String(decoding: capture.errors, as: UTF8.self)
        == "fmadapter: warning: 7b.gguf has 4.1 GB of weights, and 3.0 GB of memory is free: what does not fit is read from the disk again and again\n"
    )
  }

  @Test func needIsOfWhatTheKernelsMakeOfTheWeights() throws {
    let sample = try SampleBase()
    let model = try BaseModel(path: sample.base)
    let need = MemoryNeed(model, isCompiled: false)
    #expect(need.own == model.tilesSize() && need.weights >= model.fileSize)
    #expect(MemoryNeed(model, isCompiled: true).own == 0)
  }
}
