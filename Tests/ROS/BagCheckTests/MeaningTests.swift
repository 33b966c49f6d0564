import BagTools
import Testing

/// What people read of a finding: words, and none of the names that scripts know it by.
@Suite struct MeaningTests {
    @Test("every kind has a sentence of its own, without a name of ours", arguments: BagFindingKind.allCases)
    func words(_ kind: BagFindingKind) {
        let meaning = kind.meaning
        #expect(meaning != kind.rawValue && meaning.contains(" ") && meaning.count <= 100)
        #expect(!BagFindingKind.allCases.contains { $0 != .gap && meaning.contains($0.rawValue) }, "\(meaning)")
        #expect(!meaning.contains(/[a-z][A-Z]/) && !meaning.contains(/[a-z]_[a-z]/), "\(meaning)")
        #expect(BagFindingKind.allCases.count { $0.meaning == meaning } == 1, "\(meaning)")
    }
}
