import Foundation
import Testing

@testable import Kernels

@Suite struct PageMemoryTests {
  @Test func whatIsNotThereIsNotReserved() {
    #expect(PageMemory(reserving: 1 << 60) == nil && PageMemory(reserving: 1 << 20) != nil)
  }

  /// Nothing that computes could go on without it.
  @Test func aProcessWithoutRoomEndsAsItWasToldTo() async {
    await #expect(processExitsWith: .exitCode(8)) {
      MemoryShortage.endsProcess { bytes in exit(bytes == 1 << 60 ? 8 : 9) }
      _ = PageMemory(count: 1 << 60)
    }
  }

  @Test func threadsThatCanBeStartedAre() { #expect(WorkerPool.canStart(4)) }
}
