import Foundation
import Glibc
import TestSupport
import Testing

/// SIGKILL at random moments, of what cannot be run again: fifty in all.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct KillTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// What the other end of the connections knows.
    private struct Witness: Decodable {
        struct Note: Decodable {
            var when: Int64
            /// A topic and a time.
            var what: String

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                when = try container.decode(Int64.self)
                what = try container.decode(String.self)
            }
        }

        var late: Int64
        var had: [[Note]]
    }

    private struct Killed {
        var bag: String
        /// After how many seconds of its traffic.
        var moment: Double
        var time: Int64
    }

    @Test(arguments: ["sqlite3", "mcap"])
    func recorders(storage: String) async throws {
        var moments = Moments(of: "record \(storage)")
        for round in 0..<3 {
            var recordings: [Recording] = []
            for _ in 0..<6 {
                let options = ["--storage", storage, "--chunk-seconds", "0.4"]
                recordings.append(try await Recording.start(folder, options))
            }
            let client = try Peer.start("steady_client.py", recordings.map { "\($0.port)" })
            _ = try await client.waitForOutput("publishing")
            let killed = try await Self.kill(
                recordings.map { ($0.process, $0.bag) },
                at: moments.next(recordings.count)
            )
            let witness = try Self.witness(try await client.finish())
            try await judge(killed, witness, "\(moments.title), round \(round)")
        }
    }

    @Test(arguments: ["sqlite3", "mcap"])
    func mirrors(storage: String) async throws {
        var moments = Moments(of: "replay --save-local \(storage)")
        let session = try await Samples.plain.value
        let count = 7
        let server = try Peer.start("noting_server.py", ["\(count)"])
        let port = try await server.waitForPort()
        var replays: [(ChildProcess, String)] = []
        for index in 0..<count {
            let bag = folder("mirror\(index)")
            let options = ["--storage", storage, "--settle", "0", "--no-confirm", "--chunk-seconds", "0.5"]
            let topics = [
                "--topics", "/tf", "/tf_static", "/mapping/pose", "/mapping/imu", "/mapping/camera/camera_info",
            ]
            let arguments = ["replay", session, "--url", "127.0.0.1:\(port)/\(index)", "--save-local", bag]
            replays.append((try Binary.start(arguments + options + topics), bag))
        }
        let killed = try await Self.kill(replays, at: moments.next(count))
        let witness = try Self.witness(try await server.finish())
        try await judge(killed, witness, moments.title)
    }

    /// The moments of a test, the same again for the seed that it prints.
    private struct Moments {
        let title: String
        private var generator: Generator

        init(of name: String) {
            let given = ProcessInfo.processInfo.environment["MAPEVERYTHING_SEED"].flatMap { UInt64($0) }
            let seed = given ?? UInt64.random(in: 0..<1_000_000)
            title = "\(name) with MAPEVERYTHING_SEED=\(seed)"
            generator = Generator(state: seed)
            print(title)
        }

        mutating func next(_ count: Int) -> [Double] {
            (0..<count).map { _ in Double.random(in: 0.6...1.6, using: &generator) }
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 32) | (state &* 0x9E37_79B9_7F4A_7C15) << 32
        }
    }

    private static func kill(_ running: [(ChildProcess, String)], at moments: [Double]) async throws -> [Killed] {
        try await withThrowingTaskGroup(of: Killed.self) { group in
            for ((process, bag), moment) in zip(running, moments) {
                group.addTask {
                    try await Task.sleep(for: .seconds(moment))
                    var time = timespec()
                    clock_gettime(CLOCK_MONOTONIC, &time)
                    await process.signal(SIGKILL)
                    _ = try await process.finish()
                    let nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
                    return Killed(bag: bag, moment: moment, time: nanoseconds)
                }
            }
            let killed = try await group.reduce(into: [:]) { $0[$1.bag] = $1 }
            return running.compactMap { killed[$0.1] }
        }
    }

    private static func witness(_ outcome: Outcome) throws -> Witness {
        #expect(outcome.status == 0, "\(outcome)")
        let line = try #require(outcome.output.split(separator: "\n").last)
        return try JSONDecoder().decode(Witness.self, from: Data(line.utf8))
    }

    /// As they lie, the bags hold what came more than half a second before; mended, they are as good as any.
    private func judge(_ killed: [Killed], _ witness: Witness, _ title: String) async throws {
        // A timer of a busy machine is late; so are the other side's.
        let grace = 500_000_000 + 2 * witness.late
        var expected: [[String]] = []
        for (one, notes) in zip(killed, witness.had) {
            let due = notes.filter { $0.when < one.time - grace && !$0.what.hasPrefix("/tf_static ") }
            expected.append(due.map(\.what))
        }
        let readable = zip(killed, expected).filter { !$1.isEmpty }
        // Most were killed late enough to have something, unless the machine was very busy.
        #expect(!readable.isEmpty || witness.late > 300_000_000, "\(title): late by \(witness.late) ns")
        guard !readable.isEmpty else { return }
        print("\(title): \(readable.count) bags must hold \(readable.map(\.1.count)) messages; late \(witness.late) ns")
        let asItLies = try await PeerReading.of(readable.map(\.0.bag))
        var judgements = Judgements()
        for (one, expected) in readable {
            let found = try #require(asItLies[one.bag]).rosbags
            let missing = Set(expected).subtracting(found.map(Self.topicAndTime))
            #expect(missing.isEmpty, "\(title), killed after \(one.moment) s: \(missing.count) of \(expected.count)")
            let repaired = one.bag + "_repaired"
            let outcome = try await Binary.run(["repair", one.bag, "-o", repaired, "--json"])
            #expect(
                try outcome.status == RepairResult(outcome).expectedStatus,
                "\(title), killed after \(one.moment) s: \(outcome)"
            )
            // A bag that happens to be sound stays where it is.
            let sound = FileManager.default.fileExists(atPath: repaired) ? repaired : one.bag
            let check = try await Binary.run(["check", sound, "--quiet"])
            #expect(check.status == 0, "\(title), killed after \(one.moment) s: \(check)")
            let files = try SampleBags.files(sound)
            if files.contains(where: { $0.hasSuffix(".mcap") }) {
                for file in files { judgements.addMCAP(file) }
            } else {
                judgements.addBag(sound)
            }
        }
        try await judgements.judge()
    }

    /// The first and the third word of a row.
    private static func topicAndTime(_ row: String) -> String {
        let words = row.split(separator: " ")
        return words.count > 2 ? "\(words[0]) \(words[2])" : row
    }
}
