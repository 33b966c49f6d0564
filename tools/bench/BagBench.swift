import Bags
import Messages
import SystemPackage

/// 100 messages of 500 kB, and 20,000 of 200 bytes, into bags: in the scratch folder, which should be in memory.
func benchBag(_ arguments: Arguments) async throws -> Report {
    let rounds = try arguments.number("--rounds", default: 5)
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    let sets = [
        BagSet(name: "500 kB x 100", count: 100, bytes: 500_000),
        BagSet(name: "200 B x 20k", count: 20_000, bytes: 200),
        BagSet(name: "500 kB x 100, resilient", count: 100, bytes: 500_000, durability: .resilient),
        BagSet(name: "500 kB x 100, mcap", count: 100, bytes: 500_000, storage: .mcap),
        BagSet(name: "200 B x 20k, mcap", count: 20_000, bytes: 200, storage: .mcap),
    ]
    let rust = try arguments.interpreter(with: "foxglove").map {
        [$0, try Repository.path("tools/peers/write_mcap.py"), scratch("rust"), "3"]
    }
    var tally = Tally()
    for _ in 0..<rounds {
        for set in sets {
            tally.add(set.name, try await set.write(to: FilePath(scratch("bag"))))
        }
        try tally.addPeer(arguments.peer("sqlite_bench").map { [$0, scratch("sqlite"), "1"] })
        try tally.addPeer(
            arguments.python("rosbag_bench.py").map { $0 + [scratch("rosbag"), "1"] }
        )
        try tally.addPeer(rust)
    }
    return Report(
        title: "writing a bag, messages encoded and file made permanent; ms for the set",
        lines: [
            tally.line(sets[0].name, peer: "write+1fdatasync_500KBx100", goal: Goal(1.4)),
            tally.line(sets[0].name, peer: "sqlite_500KB_OFF_OFF_b10_pg64K+sync"),
            tally.line(sets[0].name, peer: "rosbags_sqlite3_500KBx100", goal: Goal(1 / 1.3)),
            tally.line(sets[1].name, peer: "rosbags_sqlite3_200Bx20k", goal: Goal(1 / 1.8)),
            tally.line(sets[2].name, peer: "write+1fdatasync_500KBx100", goal: Goal(2.5)),
            tally.line(sets[3].name, peer: "mcap_py_none_500KBx100", goal: Goal(1 / 1.5)),
            tally.line(sets[3].name, peer: "mcap_rust_500KBx100", goal: Goal(1.3)),
            tally.line(sets[4].name, peer: "mcap_py_none_200Bx20k", goal: Goal(1 / 1.5)),
            tally.line(sets[4].name, peer: "mcap_rust_200Bx20k"),
        ]
    )
}

/// Messages of one size.
private struct BagSet {
    var name: String
    var count: Int
    var bytes: Int
    var storage = BagOptions.Storage.sqlite3
    var durability = BagOptions.Durability.fast

    /// Writes a bag; returns the milliseconds that took.
    ///
    /// Off the main actor, as the command does: else each message would change threads twice.
    @concurrent
    func write(to path: FilePath) async throws -> Double {
        let topic = Topic(name: "/camera/image/compressed", type: CompressedImage.self)
        var message = CompressedImage()
        message.format = "jpeg"
        message.data = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        let start = ContinuousClock.now
        let options = BagOptions(storage: storage, durability: durability, maximumChunkBytes: nil, force: true)
        let sink = BagSink(path, options: options)
        try await sink.open([topic])
        for index in 0..<count {
            let time = 1_700_000_000_000_000_000 + Int64(index) * 10_000_000
            try await sink.write(StampedMessage(topic: topic, timeNanoseconds: time, message: message))
        }
        _ = try await sink.finish()
        return (ContinuousClock.now - start).milliseconds
    }
}
