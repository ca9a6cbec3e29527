// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Every Swift target is compiled alike: language mode 6, all warnings are errors, and each use of
/// unsafe memory has to be spelled `unsafe`.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// Compiled by the optimizer in debug builds, too, as tests spend their time there.
///
/// Checks and traps stay, and the program runs on any processor. Packages that depend on this one may build it: since Swift 6.2
/// such flags keep none from it.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]
let fast = strict + optimized
/// What `--version` names, where the tool that builds says it.
let commit = [Context.environment["FMADAPTER_COMMIT"] ?? ""].filter { !$0.isEmpty }
  .map { CSetting.define("FMADAPTER_COMMIT", to: "\"\($0)\"") }
let tests: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "fmadapter",
  products: [
    .executable(name: "fmadapter", targets: ["fmadapter"]),
    .library(name: "FoundationModels", targets: ["FoundationModels"]),
    .library(name: "SessionPolicies", targets: ["SessionPolicies"]),
    .library(name: "ModelServers", targets: ["ModelServers"]),
    .library(name: "AdapterTraining", targets: ["AdapterTraining"]),
    .library(name: "Interchange", targets: ["Interchange"]),
    .library(name: "AdapterStore", targets: ["AdapterStore"]),
    .library(name: "LanguageModels", targets: ["LanguageModels"]),
    .library(name: "Chats", targets: ["Chats"]),
    .library(name: "ChatTemplates", targets: ["ChatTemplates"]),
    .library(name: "Grammars", targets: ["Grammars"]),
    .library(name: "Tokenization", targets: ["Tokenization"]),
    .library(name: "Adapters", targets: ["Adapters"]),
    .library(name: "TensorFiles", targets: ["TensorFiles"]),
    .library(name: "JSON", targets: ["JSON"]),
    .library(name: "SystemFiles", targets: ["SystemFiles"]),
    .library(name: "Kernels", targets: ["Kernels"]),
  ],
  targets: [
    .executableTarget(
      name: "fmadapter",
      dependencies: [
        "AdapterTraining", "Interchange", "Serving", "AdapterStore", "LanguageModels", "Chats",
        "ChatTemplates", "Grammars", "Tokenization", "Adapters", "TensorFiles", "Kernels", "JSON",
        "SystemFiles",
        "CFMSystem", "CFMBuild",
      ],
      exclude: ["README.md"], resources: [.embedInCode("Library/suggested-models.json")],
      swiftSettings: strict),
    .target(
      name: "AdapterTraining",
      dependencies: [
        "LanguageModels", "ChatTemplates", "Grammars", "Tokenization", "Adapters", "TensorFiles",
        "Kernels", "JSON", "SystemFiles", "CFMZlib", "CFMZstd",
      ],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "Interchange",
      dependencies: [
        "LanguageModels", "Grammars", "Adapters", "TensorFiles", "Kernels", "JSON", "SystemFiles",
        "CFMZlib",
      ],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "FoundationModels",
      dependencies: [
        "AdapterStore", "LanguageModels", "Chats", "ChatTemplates", "Grammars", "Tokenization",
        "Adapters", "TensorFiles", "Kernels", "JSON", "SystemFiles", "FoundationModelsMacros",
      ],
      exclude: ["README.md"],
      // What `canImport(FoundationModels, _version: 2)` asks for.
      swiftSettings: fast + [.unsafeFlags(["-user-module-version", "2.0"])]),
    .target(
      name: "Serving",
      dependencies: [
        "AdapterStore", "LanguageModels", "Chats", "ChatTemplates", "Grammars", "Tokenization",
        "Adapters", "TensorFiles", "Kernels", "JSON", "SystemFiles", "CFMStudio",
      ],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "SessionPolicies", dependencies: ["FoundationModels", "Chats", "ChatTemplates"],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "ModelServers",
      dependencies: [
        "SessionPolicies", "FoundationModels", "AdapterStore", "JSON", "SystemFiles",
      ],
      exclude: ["README.md"], swiftSettings: strict),
    .macro(
      name: "FoundationModelsMacros", dependencies: ["MacroExpansion"], exclude: ["README.md"],
      swiftSettings: strict),
    // Apart from the plugin, as a test of a macro target builds the whole package a second time.
    .target(name: "MacroExpansion", exclude: ["README.md"], swiftSettings: strict),
    .target(
      name: "AdapterStore",
      dependencies: [
        "LanguageModels", "Adapters", "TensorFiles", "Kernels", "JSON", "SystemFiles", "CFMCurl",
      ],
      exclude: ["README.md"], swiftSettings: strict),
    .target(
      name: "LanguageModels",
      dependencies: [
        "Grammars", "Tokenization", "Adapters", "TensorFiles", "Kernels", "JSON", "SystemFiles",
      ],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "Chats", dependencies: ["ChatTemplates", "Grammars", "Tokenization"],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "ChatTemplates",
      dependencies: ["Grammars", "Tokenization", "TensorFiles", "JSON", "SystemFiles"],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "Grammars", dependencies: ["Tokenization", "JSON", "SystemFiles"],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "Tokenization", dependencies: ["TensorFiles", "SystemFiles"], exclude: ["README.md"],
      swiftSettings: fast),
    .target(
      name: "Adapters", dependencies: ["TensorFiles", "Kernels", "JSON", "SystemFiles"],
      exclude: ["README.md"],
      swiftSettings: fast),
    .target(
      name: "TensorFiles", dependencies: ["Kernels", "JSON", "SystemFiles"],
      exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "Kernels", dependencies: ["SystemFiles", "CKernels"], exclude: ["README.md"],
      swiftSettings: fast),
    .target(
      name: "JSON", dependencies: ["SystemFiles"], exclude: ["README.md"], swiftSettings: fast),
    .target(
      name: "SystemFiles", dependencies: ["CFMCrypto", "CFMSystem"], exclude: ["README.md"],
      swiftSettings: fast),
    .target(
      name: "CKernels", exclude: ["NOTES.md", "README.md"],
      cSettings: [
        .define("NDEBUG", .when(configuration: .release)),
        .unsafeFlags(["-O2"], .when(configuration: .debug)),
      ]),
    // A graph of packages takes each target's name once, and others have taken the plain ones: swift-system has CSystem.
    .systemLibrary(name: "CFMCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CFMCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CFMZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CFMZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CFMSystem", exclude: ["README.md"]),
    .target(name: "CFMBuild", exclude: ["README.md"], cSettings: commit),
    .target(name: "CFMStudio", exclude: ["Page", "README.md"]),

    .target(
      name: "TestSupport", dependencies: ["TensorFiles", "SystemFiles"],
      path: "Tests/TestSupport",
      swiftSettings: tests),
    .target(
      name: "SessionTestSupport", dependencies: ["FoundationModels", "TestSupport"],
      path: "Tests/SessionTestSupport", swiftSettings: tests),
    .testTarget(
      name: "SystemFilesTests", dependencies: ["SystemFiles", "TestSupport"], swiftSettings: tests),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: tests),
    .testTarget(
      name: "KernelsTests", dependencies: ["Kernels", "SystemFiles", "TestSupport"],
      exclude: ["Fixtures"],
      swiftSettings: tests + optimized),
    .testTarget(
      name: "TensorFilesTests",
      dependencies: ["TensorFiles", "Kernels", "SystemFiles", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdaptersTests",
      dependencies: ["Adapters", "TensorFiles", "JSON", "SystemFiles", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "TokenizationTests",
      dependencies: ["Tokenization", "TensorFiles", "SystemFiles", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "GrammarsTests",
      dependencies: [
        "Grammars", "Tokenization", "TensorFiles", "JSON", "SystemFiles", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "ChatTemplatesTests",
      dependencies: [
        "ChatTemplates", "Grammars", "Tokenization", "TensorFiles", "JSON", "SystemFiles",
        "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "ChatsTests",
      dependencies: [
        "Chats", "ChatTemplates", "Tokenization", "TensorFiles", "JSON", "TestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "LanguageModelsTests",
      dependencies: [
        "LanguageModels", "Grammars", "Tokenization", "Adapters", "TensorFiles", "Kernels",
        "JSON", "SystemFiles", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdapterTrainingTests",
      dependencies: [
        "AdapterTraining", "LanguageModels", "ChatTemplates", "Tokenization", "Adapters",
        "TensorFiles", "Kernels", "JSON", "SystemFiles", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "InterchangeTests",
      dependencies: [
        "Interchange", "LanguageModels", "Grammars", "Adapters", "TensorFiles", "Kernels", "JSON",
        "SystemFiles", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdapterStoreTests",
      dependencies: [
        "AdapterStore", "LanguageModels", "Adapters", "JSON", "SystemFiles", "TestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "MacroExpansionTests", dependencies: ["MacroExpansion"], swiftSettings: tests),
    .testTarget(
      name: "FoundationModelsTests",
      dependencies: [
        "FoundationModels", "AdapterStore", "LanguageModels", "ChatTemplates", "Grammars",
        "Adapters", "JSON", "SessionTestSupport", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "SessionPoliciesTests",
      dependencies: ["SessionPolicies", "FoundationModels", "SessionTestSupport", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "ModelServersTests",
      dependencies: [
        "ModelServers", "SessionPolicies", "FoundationModels", "AdapterStore", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Serving", "AdapterStore", "LanguageModels", "ChatTemplates", "Adapters", "Kernels", "JSON",
        "TestSupport",
      ],
      swiftSettings: tests),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "fmadapter", "Serving", "AdapterStore", "AdapterTraining", "Interchange", "LanguageModels",
        "ChatTemplates", "Grammars", "Tokenization", "Adapters", "TensorFiles", "Kernels", "JSON",
        "SystemFiles", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
  ]
)

/// Fuzzers of all that reads what anybody may have written; `tools/fuzz` asks for them.
if Context.environment["FMADAPTER_FUZZ"] != nil {
  package.targets.append(
    .target(name: "Fuzzing", path: "Tests/Fuzz/Driver", swiftSettings: tests))
  for library in [
    "JSON", "TensorFiles", "Grammars", "ChatTemplates", "Adapters", "LanguageModels",
    "Interchange", "AdapterStore", "Serving", "AdapterTraining",
  ] {
    package.targets.append(
      .executableTarget(
        name: "Fuzz\(library)",
        dependencies: ["Fuzzing", .target(name: library)]
          + (library == "Grammars" ? ["TestSupport"] : []),
        path: "Tests/Fuzz/\(library)", swiftSettings: tests))
  }
}
