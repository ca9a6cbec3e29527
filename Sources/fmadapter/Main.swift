import Foundation

/// Version of the program, by Semantic Versioning.
let programVersion = "0.1.0"

@main
struct Main {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    let environment = ProcessInfo.processInfo.environment
    exit(await Program(environment: environment).run(words).rawValue)
  }
}
