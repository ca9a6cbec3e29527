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
let tests: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
  name: "fmadapter",
  products: [
    .executable(name: "fmadapter", targets: ["fmadapter"]),
    .library(name: "FoundationModels", targets: ["FoundationModels"]),
    .library(name: "AdapterTraining", targets: ["AdapterTraining"]),
    .library(name: "AdapterStore", targets: ["AdapterStore"]),
    .library(name: "LanguageModels", targets: ["LanguageModels"]),
    .library(name: "Adapters", targets: ["Adapters"]),
    .library(name: "TensorFiles", targets: ["TensorFiles"]),
  ],
  targets: [
    .executableTarget(
      name: "fmadapter",
      dependencies: [
        "AdapterTraining", "AdapterStore", "LanguageModels", "Adapters", "TensorFiles", "Kernels",
      ],
      swiftSettings: strict),
    .target(
      name: "AdapterTraining",
      dependencies: ["LanguageModels", "Adapters", "TensorFiles", "Kernels"],
      swiftSettings: strict),
    .target(
      name: "FoundationModels",
      dependencies: [
        "AdapterStore", "LanguageModels", "Adapters", "TensorFiles", "Kernels",
        "FoundationModelsMacros",
      ],
      swiftSettings: strict),
    .macro(
      name: "FoundationModelsMacros", dependencies: ["MacroExpansion"], swiftSettings: strict),
    // Apart from the plugin, as a test of a macro target builds the whole package a second time.
    .target(name: "MacroExpansion", swiftSettings: strict),
    .target(
      name: "AdapterStore", dependencies: ["LanguageModels", "Adapters", "TensorFiles", "CCurl"],
      swiftSettings: strict),
    .target(
      name: "LanguageModels", dependencies: ["Adapters", "TensorFiles", "Kernels"],
      swiftSettings: strict),
    .target(name: "Adapters", dependencies: ["TensorFiles", "Kernels"], swiftSettings: strict),
    .target(
      name: "TensorFiles", dependencies: ["Kernels", "CCrypto", "CSystem"], swiftSettings: strict),
    .target(name: "Kernels", dependencies: ["CKernels"], swiftSettings: strict),
    .target(
      name: "CKernels", exclude: ["NOTES.md"],
      cSettings: [.define("NDEBUG", .when(configuration: .release))]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSystem"),

    .target(
      name: "TestSupport", dependencies: ["TensorFiles", "Kernels"], path: "Tests/TestSupport",
      swiftSettings: tests),
    .testTarget(
      name: "KernelsTests", dependencies: ["Kernels", "TestSupport"], exclude: ["Fixtures"],
      swiftSettings: tests),
    .testTarget(
      name: "TensorFilesTests", dependencies: ["TensorFiles", "Kernels", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdaptersTests", dependencies: ["Adapters", "TensorFiles", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "LanguageModelsTests",
      dependencies: ["LanguageModels", "Adapters", "TensorFiles", "Kernels", "TestSupport"],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdapterTrainingTests",
      dependencies: [
        "AdapterTraining", "LanguageModels", "Adapters", "TensorFiles", "Kernels", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "AdapterStoreTests",
      dependencies: ["AdapterStore", "LanguageModels", "Adapters", "TensorFiles", "TestSupport"],
      swiftSettings: tests),
    .testTarget(
      name: "MacroExpansionTests", dependencies: ["MacroExpansion"], swiftSettings: tests),
    .testTarget(
      name: "FoundationModelsTests",
      dependencies: [
        "FoundationModels", "AdapterStore", "LanguageModels", "Adapters", "TensorFiles",
        "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "fmadapter", "AdapterStore", "Adapters", "TensorFiles", "Kernels", "TestSupport",
      ],
      exclude: ["Fixtures"], swiftSettings: tests),
  ]
)
