import Foundation
import SystemPackage
import TestSupport
import Testing

/// What recorders of ROS 2 are known to write, and every reader takes, is no damage.
@Suite(.serialized) struct RecorderHabitTests {
    private let folder: Scratch
    private var bag: String { folder("bag") }

    init() throws { folder = try Scratch() }

    enum Habit: String, CaseIterable {
        /// Up to Humble: the times of the last file for those of the bag.
        case lastTimes
        /// `ros2 bag reindex` leaves it empty.
        case noStorage
        /// Jazzy without a cache counts the messages of a file twice.
        case doubledCount

        /// The lines of metadata.yaml as the recorder has them.
        func apply(to lines: inout [String]) {
            func change(_ key: String, _ place: (Int) -> Int, _ value: (String) -> String) {
                let places = lines.indices.filter { lines[$0].contains("\(key): ") }
                let line = places[place(places.count)]
                let parts = lines[line].components(separatedBy: ": ")
                let last = lines[places[places.count - 1]].components(separatedBy: ": ")[1]
                lines[line] = "\(parts[0]): \(value(last))"
            }
            switch self {
            case .lastTimes:
                change("nanoseconds_since_epoch", { _ in 0 }, { $0 })
                change("nanoseconds", { _ in 0 }, { $0 })
            case .noStorage: change("storage_identifier", { _ in 0 }, { _ in "\"\"" })
            case .doubledCount: change("message_count", { $0 - 1 }, { "\(2 * (Int($0) ?? 0))" })
            }
        }
    }

    @Test(arguments: Habit.allCases)
    func isANote(habit: Habit) async throws {
        try await SampleBags.write(bag, ["--chunk-seconds", "0.6"])
        let file = "\(bag)/metadata.yaml"
        let whole = try String(contentsOfFile: file, encoding: .utf8)
        var lines = whole.components(separatedBy: "\n")
        habit.apply(to: &lines)
        let text = lines.joined(separator: "\n")
        #expect(text != whole)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let strict = try await Command.run(["check", bag, "--strict"])
        #expect(strict.status == 0 && strict.output.contains("a habit of its recorder"), "\(strict.everything)")
        let repair = try RepairResult(await Command.run(["repair", bag, "-o", folder("repaired"), "--json"]))
        #expect(repair.sound && repair.stillWrong.isEmpty, "\(repair)")
        #expect(!FileManager.default.fileExists(atPath: folder("repaired")))
    }

    /// A wrong count and wrong times that are nobody's habit stay errors.
    @Test func isNoExcuse() async throws {
        try await SampleBags.write(bag, ["--chunk-seconds", "0.6"])
        let file = "\(bag)/metadata.yaml"
        var lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
        let line = try #require(lines.firstIndex { $0.contains("nanoseconds_since_epoch: ") })
        lines[line] = lines[line].replacing("nanoseconds_since_epoch: 17", with: "nanoseconds_since_epoch: 16")
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let checked = try await CheckResult.of(bag)
        #expect(checked.status == 1 && checked.result.findings.contains { $0.kind == "metadata.times" })
    }

    @Test(
        .enabled(if: Captures.have("field-cases"), Comment(rawValue: Captures.absence)),
        arguments: [
            ("humble_split_times", []), ("reindex_empty_storage_id", []), ("jazzy_doubled_count", []),
            ("static_tf_volatile", ["frame.unknown", "latched.volatile"]),
            ("mcap_reversed", ["mcap.profile", "metadata.missing"]),
        ]
    )
    func recordedOnes(name: String, kinds: [String]) async throws {
        let path = Captures.path("field-cases/\(name)").string
        let checked = try await CheckResult.of(path)
        #expect(Set(checked.result.findings.filter { $0.severity != "note" }.map(\.kind)) == Set(kinds))
        let repair = try RepairResult(await Command.run(["repair", path, "-o", folder("repaired"), "--json"]))
        #expect(repair.stillWrong == [])
        guard kinds.isEmpty else { return }
        #expect(repair.sound)
        let inspected = try await Command.run(["inspect", path]).output
        #expect(inspected.contains(/verdict +sound/), "\(inspected)")
    }
}
