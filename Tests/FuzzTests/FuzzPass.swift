import FuzzTargets
import Glibc
import SystemPackage
import TestSupport

/// How much is run of which targets: `MAPEVERYTHING_FUZZ_MUTATIONS`, `MAPEVERYTHING_FUZZ_TARGETS` (names and commas) and
/// `MAPEVERYTHING_SEED`.
enum FuzzEffort {
    static let mutations = given("FUZZ_MUTATIONS").flatMap { Int($0) } ?? 1_000
    static let seed = given("SEED").flatMap { UInt64($0) } ?? 1

    static var targets: [String] {
        let names = given("FUZZ_TARGETS")?.split(separator: ",").map { String($0) }
        return FuzzTarget.all.map(\.name).filter { names?.contains($0) != false }
    }

    private static func given(_ name: String) -> String? {
        getenv("MAPEVERYTHING_\(name)").map { String(cString: $0) }
    }
}

/// What a process runs of one target: its seeds, what is kept, and mutations of both, the same in every run.
struct FuzzPass {
    private let folder: FilePath

    /// - Parameter folder: where the target has its files, and where the input lies that is tried.
    init(in folder: String) {
        self.folder = FilePath(folder)
        setenv("TMPDIR", folder, 1)
        // What the process says when it ends goes into the report.
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
        var generator = SeededRandomNumbers(seed: FuzzEffort.seed)
        for _ in 0..<FuzzEffort.mutations {
            guard let input = inputs.randomElement(using: &generator) else { return }
            try run(target, mutated(input, words: target.dictionary, using: &generator))
        }
    }

    private func run(_ target: FuzzTarget, _ input: [UInt8]) throws {
        try SessionBuilder.write(input, to: folder.appending("input"))
        input.withUnsafeBytes(target.run)
    }
}
