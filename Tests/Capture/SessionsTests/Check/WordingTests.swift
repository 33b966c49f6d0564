import Sessions
import Testing

/// What people read of damage and of frames that are left out: words, and none of the names that scripts know them by.
@Suite struct WordingTests {
    @Test("every kind of damage has words", arguments: ProblemKind.allCases)
    func problems(_ kind: ProblemKind) {
        let words = kind.explanation
        #expect(words.contains(" ") && !words.contains(kind.rawValue))
        // CameraInfo, metadata.json and names of options are those of others; names of ours begin with a small letter.
        #expect(!words.contains(/\b[a-z]+[A-Z]/), "\(words)")
        var diagnostics = Diagnostics()
        diagnostics.record(Problem(kind, file: "file", expected: "one", found: "none"))
        #expect(diagnostics.entries.map(\.sentence) == [words])
        diagnostics.record(Problem(kind, file: "file", expected: "one", found: "none"))
        #expect(diagnostics.entries.map(\.sentence) == [words + " (2 times)"])
    }

    @Test("every frame that is left out has words", arguments: FrameVerdict.allCases)
    func frames(_ verdict: FrameVerdict) {
        guard let words = verdict.words else { return #expect([.kept, .withoutImage, .repeated].contains(verdict)) }
        #expect(words.hasPrefix("frames ") && !words.contains(verdict.rawValue))
    }
}
