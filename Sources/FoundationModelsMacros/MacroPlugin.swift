import MacroExpansion

/// The compiler plugin of the macros: the compiler starts it, asks over pipes, and ends it by closing them.
@main
enum MacroPlugin {
  static func main() throws {
    let connection = PluginConnection()
    while let request = try connection.receive() {
      try connection.send(PluginResponse(to: request))
    }
  }
}
