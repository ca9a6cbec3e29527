import Testing

@testable import Kernels

@Suite struct ProcessorCountTests {
  private static func count(_ files: [String: String], online: Int = 64) -> Int {
    ProcessorCount.usable(online: online) { files[$0] }
  }

  /// Schedulers of jobs bind a program to some processors.
  @Test(arguments: [
    ("Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,8\n", 5), ("Cpus_allowed_list:\t7\n", 1),
    ("Cpus_allowed_list:\t0-127\n", 64), ("Cpus_allowed_list:\t\n", 1), ("", 64),
  ])
  func thoseThatItMayRunOn(_ status: String, _ count: Int) {
    #expect(Self.count(["/proc/self/status": status]) == count)
  }

  /// Containers and services have time of some, each group no more than the one around it.
  @Test func timeOfControlGroups() {
    let two = ["/proc/self/cgroup": "0::/a.slice/b.service\n"]
    func count(_ files: [String: String]) -> Int { Self.count(two.merging(files) { $1 }) }
    #expect(count(["/sys/fs/cgroup/a.slice/b.service/cpu.max": "150000 100000\n"]) == 2)
    #expect(count(["/sys/fs/cgroup/a.slice/cpu.max": "400000 100000"]) == 4)
    #expect(count(["/sys/fs/cgroup/cpu.max": "50000 100000"]) == 1)
    #expect(count(["/sys/fs/cgroup/cpu.max": "max 100000"]) == 64)
    #expect(count(["/sys/fs/cgroup/cpu/cpu.max": "1 1"]) == 64)
    let one = ["/proc/self/cgroup": "5:memory:/x\n4:cpu,cpuacct:/docker/7\n"]
    let period = ["/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"]
    let files = one.merging(period) { $1 }
    #expect(
      Self.count(files.merging(["/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000\n"]) { $1 }) == 3)
    #expect(Self.count(files.merging(["/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"]) { $1 }) == 64)
  }

  @Test func thisSystemSaysSomething() {
    #expect((1...4096).contains(WorkerPool.processors))
    #expect(ProcessorCount.text("/proc/self/status")?.contains("Cpus_allowed_list:") == true)
    #expect(ProcessorCount.text("/nowhere") == nil)
  }
}
