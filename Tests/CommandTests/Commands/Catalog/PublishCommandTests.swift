import Foundation
import TestSupport
import Testing

@testable import fmadapter

@Suite struct PublishCommandTests {
  @Test func publishSaysWhatItWrote() throws {
    let catalog = try CatalogSample()
    let result = try catalog.run("publish", catalog.site, catalog.package("1.0.0"), "--json")
      .expectSuccess()
    #expect(result.errorText.isEmpty)
    let entry = try #require(try result.objects().first)
    #expect(entry["identifier"] as? String == CatalogSample.identifier)
    #expect(entry["outcome"] as? String == "added")
    #expect((entry["path"] as? String).map { "\($0)/" } == (try catalog.firstFolder()))
    let more = try catalog.run("publish", catalog.site, catalog.package("1.1.0"))
    #expect(more.errorText.hasPrefix("added fmadapter-echo-ccccccc 1.1.0 ("))
    let again = try catalog.run("publish", catalog.site, catalog.store.path("packages"))
    #expect(
      again.errorText == "fmadapter-echo-ccccccc 1.0.0 is there already\n"
        + "fmadapter-echo-ccccccc 1.1.0 is there already\n")
  }

  @Test func anInstalledAdapterIsPublishedByName() throws {
    let catalog = try CatalogSample()
    try catalog.run("install", catalog.sample.package).expectSuccess()
    try catalog.run(
      "publish", catalog.site, "echo", "--package-version", "3.0.0"
    ).expectSuccess(saying: "added fmadapter-echo-ccccccc 3.0.0 (")
    try catalog.run("publish", catalog.site, "echo").expect(
      saying: "fmadapter-echo-ccccccc 0.0.0: the package states no version; "
        + "give it one with --package-version, so that later versions are found as updates")
  }

  @Test func otherBytesAndBrokenPackagesAreRefused() throws {
    let catalog = try CatalogSample()
    try catalog.run("publish", catalog.site, catalog.package("1.0.0")).expectSuccess()
    let index = try Data(contentsOf: URL(fileURLWithPath: "\(catalog.site)/index.json"))
    try catalog.run("publish", catalog.site, catalog.package("1.0.0", note: "!"))
      .expectStatus(
        5,
        error: "fmadapter-echo-ccccccc 1.0.0: the same version exists with other "
          + "bytes: in \(catalog.site); publish it as a new version, or replace the old one with "
          + "--replace")
    let broken = try SamplePackage()
    try broken.cut(to: 1000)
    try catalog.run("publish", catalog.site, broken.path).expectStatus(4)
    try catalog.run("publish", catalog.site, "nothing").expectStatus(3)
    try catalog.run("publish", catalog.site, "echo", "--package-version", "1").expectStatus(2)
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(catalog.site)/index.json")) == index)
  }
}
