import FuzzTargets
import Glibc
import SystemPackage
import TestSupport

/// What a process runs of one target: its seeds, what is kept, and mutations of both, the same in every run.
struct FuzzPass {
    static let mutations = 1_000

    private let folder: FilePath

    /// - Parameter folder: where the target has its files, and where the input lies that is tried.
    init(in folder: String) {
        self.folder = FilePath(folder)
        setenv("TMPDIR", folder, 1)
        // What is said at the end, to whom it may concern.
        let said = open(self.folder.appending("said").string, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        dup2(said, 1)
        dup2(said, 2)
        // A header that is believed ends here, not with the memory of the machine.
        var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }

    func run(_ target: FuzzTarget, kept: [[UInt8]]) throws {
        let inputs = target.seeds() + kept
        for input in inputs { try run(target, input) }
        var generator = SeededRandomNumbers(seed: 1)
        for _ in 0..<Self.mutations {
            guard let input = inputs.randomElement(using: &generator) else { return }
            try run(target, mutated(input, words: target.dictionary, using: &generator))
        }
    }

    private func run(_ target: FuzzTarget, _ input: [UInt8]) throws {
        try SessionBuilder.write(input, to: folder.appending("input"))
        input.withUnsafeBytes(target.run)
    }
}
