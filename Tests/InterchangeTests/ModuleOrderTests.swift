import Adapters
import Testing

@testable import Interchange

/// Where rows and columns of a base are in the models that others write adapters for.
@Suite struct ModuleOrderTests {
  private static func places(_ order: ((Int) -> Int)?, _ count: Int) -> [Int]? {
    guard let order else { return nil }
    return (0..<count).map { order($0) }
  }

  /// Two heads of values for each of keys: models of PyTorch have them side by side.
  @Test(arguments: [ForeignForm.peft, .mlx, .gguf])
  func headsOfValuesOfDeltaRules(form: ForeignForm) throws {
    let modules = try BaseModules(ExchangeBase(InterchangeFixture.model("qwen35")), in: form)
    func rows(_ target: LoRATarget, _ count: Int) -> [Int]? {
      Self.places(modules.order(of: target), count)
    }
    let isBase = form == .gguf
    let heads = [0, 2, 1, 3]
    let values = heads.flatMap { $0 * 5..<$0 * 5 + 5 }
    #expect(rows(.deltaAlpha, 4) == (isBase ? nil : heads))
    #expect(rows(.deltaBeta, 4) == (isBase ? nil : heads))
    #expect(rows(.deltaGate, 20) == (isBase ? nil : values))
    #expect(rows(.deltaInput, 44) == (isBase ? nil : Array(0..<24) + values.map { 24 + $0 }))
    #expect(rows(.deltaOutput, 16) == nil)
    #expect(rows(.query, 64) == nil)
    let columns = Self.places(modules.columnOrder(of: .deltaOutput), 20)
    #expect(columns == (isBase ? nil : values))
    #expect(Self.places(modules.columnOrder(of: .deltaGate), 16) == nil)
  }
}
