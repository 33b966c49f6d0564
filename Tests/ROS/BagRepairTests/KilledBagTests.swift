import BagTools
import Bags
import Foundation
import Glibc
import Messages
import Platform
import SystemPackage
import TestSupport
import Testing

/// Bags of this program's writers that were killed.
struct KilledBagTests {
    /// After its repair a bag is what it would be if it had been closed with the messages that it has.
    @Test(arguments: BagOptions.Storage.allCases, [30, 77, 120, 180])
    func aResilientBagBecomesOneThatWasClosed(_ storage: BagOptions.Storage, _ count: Int) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = bag.string as String, name = storage.rawValue as String, count = count as Int] in
            let storage = try #require(BagOptions.Storage(rawValue: name))
            let options = BagOptions(storage: storage, durability: .resilient, maximumChunkSeconds: 0.5)
            let sink = BagSink(FilePath(path), options: options)
            try await sink.open([SampleBag.note, SampleBag.fixed])
            for message in SampleBag.notes(count) { try await sink.write(message) }
            // Far longer than it takes; the test fails only if they never come.
            for _ in 0..<2_000 {
                if (try? Row.all(FilePath(path)).count) == count { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            // What shows them is under way until the sink answers.
            _ = await sink.report()
            kill(getpid(), SIGKILL)
        }
        let left = try contents(bag)
        #expect(left.keys.contains { $0.hasSuffix(".part") })
        let rows = try Row.all(bag)
        #expect(rows.count == count)
        let output = directory.appending("repaired")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(!report.isSound && !report.hasLosses)
        #expect(try contents(bag) == left)
        #expect(try Row.all(output) == rows)
        #expect(try !contents(output).keys.contains { $0.contains(".part") })
        // The same messages, closed.
        let closed = directory.appending("closed/bag")
        try FileManager.default.createDirectory(
            atPath: directory.appending("closed").string,
            withIntermediateDirectories: false
        )
        let options = BagOptions(storage: storage, durability: .resilient, maximumChunkSeconds: 0.5)
        try await SampleBag.write(closed, count, options: options)
        try expectSame(try contents(output), try contents(closed), storage)
        if storage == .sqlite3, PeerPython.isAvailable { #expect(try dump(output) == dump(closed)) }
        _ = try BagRepairer.repair(bag, .inPlace)
        #expect(try contents(bag) == contents(output))
        #expect(try BagRepairer.repair(bag, .inPlace).isSound)
        switch storage {
        case .sqlite3: try Judge.check(output)
        case .mcap:
            for name in try contents(output).keys where name.hasSuffix(".mcap") {
                try Judge.checkMCAP(output.appending(name))
            }
        }
    }

    /// Messages of one time become visible together, however they are timed and wherever the writer dies.
    @Test(arguments: BagOptions.Storage.allCases, [60, 230, 410, 640])
    func messagesOfOneTimeAreNeverTorn(_ storage: BagOptions.Storage, _ milliseconds: Int) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = bag.string as String, name = storage.rawValue as String, delay = milliseconds as Int] in
            let storage = try #require(BagOptions.Storage(rawValue: name))
            let sink = BagSink(FilePath(path), options: BagOptions(storage: storage, durability: .resilient))
            try await sink.open([SampleBag.note, SampleBag.partner])
            Thread.detachNewThread {
                while access("\(path)/bag_0.\(storage == .mcap ? "mcap" : "db3")", F_OK) != 0 { usleep(200) }
                usleep(UInt32(delay * 1000))
                kill(getpid(), SIGKILL)
            }
            for message in SampleBag.notes(400, bytes: { _ in 3000 }) {
                try await sink.write(message)
                // As an image and its camera_info come: one a little after the other, and nothing then for a while.
                usleep(12_000)
                try await sink.write(SampleBag.partner(of: message))
                usleep(3_000)
            }
        }
        let rows = try Row.all(bag)
        #expect(!rows.isEmpty)
        let topics = Dictionary(grouping: rows, by: \.time).mapValues { Set($0.map(\.topic)) }
        #expect(topics.values.allSatisfy { $0.count == 2 }, "\(topics.filter { $0.value.count != 2 })")
    }

    @Test func leftoversOfAFastBagAreLeftOut() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        try await SampleBag.write(bag, options: BagOptions(maximumChunkSeconds: 0.5))
        let rows = try Row.all(bag)
        try Data(repeating: 7, count: 100_000).write(to: URL(fileURLWithPath: bag.appending("bag_4.db3.part").string))
        let report = try BagRepairer.repair(bag, .inPlace)
        #expect(report.leftOut.map(\.name) == ["bag_4.db3.part"])
        #expect(try Row.all(bag) == rows)
        #expect(try !contents(bag).keys.contains { $0.hasSuffix(".part") })
        try Judge.check(bag)
    }

    /// A chunk that was whole when its writer died, and had no name yet.
    @Test(arguments: BagOptions.Storage.allCases)
    func aFinishedChunkWithoutANameIsAdopted(_ storage: BagOptions.Storage) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        try await SampleBag.write(bag, options: BagOptions(storage: storage, maximumChunkSeconds: 0.5))
        let rows = try Row.all(bag)
        let name = storage == .sqlite3 ? "bag_3.db3" : "bag_3.mcap"
        try FileManager.default.moveItem(
            atPath: bag.appending(name).string,
            toPath: bag.appending(name + ".part").string
        )
        let output = directory.appending("repaired")
        let report = try BagRepairer.repair(bag, .newBag(output))
        #expect(report.files.last?.name == name)
        #expect(report.files.last?.actions.first?.contains(".part") == true)
        #expect(try Row.all(output) == rows)
        if storage == .sqlite3 { try Judge.check(output) }
    }

    /// A repair in place that was interrupted is completed by the next one.
    @Test func anInterruptedRepairIsCompleted() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        try await SampleBag.write(bag)
        let rows = try Row.all(bag)
        let staged = bag.appending(".repair")
        try FileManager.default.createDirectory(atPath: staged.string, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: bag.appending("bag_0.db3").string,
            toPath: staged.appending("bag_0.db3").string
        )
        try Data("damage".utf8).write(to: URL(fileURLWithPath: bag.appending("bag_0.db3").string))
        try Data("journal".utf8).write(to: URL(fileURLWithPath: bag.appending("bag_0.db3-journal").string))
        let list = "remove bag_0.db3-journal\nrename bag_0.db3\nrename ../elsewhere\n"
        try Data(list.utf8).write(to: URL(fileURLWithPath: staged.appending("ready").string))
        #expect(try BagRepairer.repair(bag, .inPlace).isSound)
        #expect(try Row.all(bag) == rows)
        #expect(try contents(bag).keys.sorted() == ["bag_0.db3", "metadata.yaml"])
        // What was not ready is removed.
        try FileManager.default.createDirectory(atPath: staged.string, withIntermediateDirectories: false)
        try Data("half".utf8).write(to: URL(fileURLWithPath: staged.appending("bag_0.db3").string))
        #expect(try BagRepairer.repair(bag, .inPlace).isSound)
        #expect(try Row.all(bag) == rows)
    }

    /// What was ready has the only copies of some rows: a failure of carrying it out leaves it to the next repair.
    @Test func whatIsReadyOutlivesAFailure() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        try await SampleBag.write(bag)
        let rows = try Row.all(bag)
        let staged = bag.appending(".repair")
        let files = FileManager.default
        try files.createDirectory(atPath: staged.string, withIntermediateDirectories: false)
        for name in ["bag_0.db3", "metadata.yaml"] {
            try files.moveItem(atPath: bag.appending(name).string, toPath: staged.appending(name).string)
        }
        try Data("rename bag_0.db3\nrename metadata.yaml".utf8)
            .write(to: URL(fileURLWithPath: staged.appending("ready").string))
        // No file gets the name of a folder.
        try files.createDirectory(atPath: bag.appending("metadata.yaml").string, withIntermediateDirectories: false)
        #expect(throws: BagError.self) { try BagRepairer.repair(bag, .inPlace) }
        #expect(try directoryEntries(staged) == ["metadata.yaml", "ready"])
        try files.removeItem(atPath: bag.appending("metadata.yaml").string)
        #expect(try BagRepairer.repair(bag, .inPlace).isSound)
        #expect(try Row.all(bag) == rows)
        #expect(try contents(bag).keys.sorted() == ["bag_0.db3", "metadata.yaml"])
    }

    /// All tables of all chunks as statements that would make them.
    private func dump(_ bag: FilePath) throws -> String {
        try PeerPython.output(
            of: """
                import glob, sqlite3, sys
                for name in sorted(glob.glob(sys.argv[1] + "/*.db3")):
                    connection = sqlite3.connect(f"file:{name}?mode=ro&immutable=1", uri=True)
                    print(connection.execute("PRAGMA page_size").fetchone(), *connection.iterdump(), sep="\\n")
                """,
            [bag.string]
        )
    }

    private func expectSame(
        _ found: [String: Data],
        _ expected: [String: Data],
        _ storage: BagOptions.Storage
    ) throws {
        #expect(found.keys.sorted() == expected.keys.sorted())
        #expect(
            String(decoding: found["metadata.yaml"] ?? Data(), as: UTF8.self)
                == String(decoding: expected["metadata.yaml"] ?? Data(), as: UTF8.self)
        )
        // SQLite counts the changes of a file in its header; .mcap files are the same to the byte.
        guard storage == .mcap else { return }
        for (name, data) in expected { #expect(found[name] == data, "\(name)") }
    }
}
