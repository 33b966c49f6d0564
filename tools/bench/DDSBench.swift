import Bags
import Glibc
import Messages
import SystemPackage

/// Bags into ROS 2 over DDS, whole processes, each into a reader that has every message; the first one through rosbridge, too.
///
/// Everything stays on the loopback. The reader is compiled here, with the headers of `cyclonedds-dev`.
func benchDDS(_ arguments: Arguments) async throws -> Report {
    let rounds = try arguments.number("--rounds", default: 5)
    guard let binary = arguments.string("--binary") else { throw BenchError("dds: expected --binary") }
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST", 1)
    let loopback = "<General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces></General>"
    setenv("CYCLONEDDS_URI", "<CycloneDDS><Domain>\(loopback)</Domain></CycloneDDS>", 1)
    let source = try Repository.path("tools/peers/dds_read.c")
    guard try run(["cc", "-O2", "-o", scratch("dds_read"), source, "-lddsc"]).status == 0 else {
        throw BenchError("dds: expected a C compiler and cyclonedds-dev")
    }
    for words in [
        ["sample", "-o", scratch("room"), "--duration", "10"], ["bag", scratch("room"), "-o", scratch("bag")],
    ] {
        guard try run([binary] + words + ["-q"]).status == 0 else { throw BenchError("dds: no bag") }
    }
    try await writeBag(scratch("poses"), count: 100_000, PoseStamped()) { $0.header = $1 }
    var cloud = CompressedImage()
    cloud.data = [UInt8](repeating: 7, count: 1_100_000)
    try await writeBag(scratch("clouds"), count: 300, cloud) { $0.header = $1 }
    let small = ["--receive-buffer", "212992"]
    let jobs = [
        DDSJob("walk of 10 s", scratch("bag")), DDSJob("walk of 10 s, small buffer", scratch("bag"), small),
        DDSJob("100,000 poses", scratch("poses")), DDSJob("100,000 poses, small buffer", scratch("poses"), small),
        DDSJob("300 x 1.1 MB, small buffer", scratch("clouds"), small),
    ]
    var tally = Tally()
    var whole: [String: Int] = [:]
    let plans = try jobs.map { try BagPlan(binary, $0.bag) }
    for round in 0..<rounds {
        for (job, plan) in zip(jobs, plans) {
            let (result, isWhole) = try job.play(binary, scratch("dds_read"), plan, domain: 100 + round)
            tally.add(job.name, result)
            tally.add("\(job.name), goal", job.goalMilliseconds(plan))
            if isWhole { whole[job.name, default: 0] += 1 }
        }
        let record = [binary, "record", "-q", "-o", scratch("recorded"), "--force", "--port", "\(9700 + round)"]
        tally.add("through rosbridge to record", try bridge(record, "\(9700 + round)", binary, scratch("bag")))
        guard let python = try arguments.interpreter(with: "websockets", "rosbags", "numpy") else { continue }
        let server = [python, try Repository.path("tools/peers/python_bridge.py"), "\(9800 + round)"]
        tally.add("through rosbridge in Python", try bridge(server, "\(9800 + round)", binary, scratch("bag")))
    }
    var report = Report(title: "bags into ROS 2, whole processes; ms, by the speed that is wanted")
    for job in jobs {
        let note = "all there in \(whole[job.name] ?? 0) of \(rounds), \(tally.use(job.name).text)"
        report.lines.append(tally.line(job.name, note: note, peer: "\(job.name), goal", goal: Goal(1)))
    }
    for peer in ["through rosbridge to record", "through rosbridge in Python"] {
        report.lines.append(tally.line(jobs[0].name, peer: peer, goal: Goal(0.1)))
    }
    return report
}

/// The topics that a dry run of a replay names, as DDS has them, and what they hold.
private struct BagPlan {
    var topics: [String] = []
    var messages = 0
    var bytes = 0.0

    init(_ binary: String, _ bag: String) throws(BenchError) {
        let output = try run([binary, "replay", bag, "--ros2", "--dry-run"]).output
        for line in output.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.count == 4, words[1].contains("::dds_::") {
                topics.append("rt\(words[0])=\(words[1])" + (words[2] == "transient_local" ? ":transient" : ""))
            } else if words.count > 4, words[1] == "messages,", let count = Int(words[0]), let size = Double(words[2]) {
                messages = count
                bytes = size * (words[3] == "MB" ? 1e6 : words[3] == "kB" ? 1e3 : 1e9)
            }
        }
        guard !topics.isEmpty, messages > 0 else { throw BenchError("dds: no plan of \(bag)") }
    }
}

/// One bag into one reader.
private struct DDSJob {
    var name: String
    var bag: String
    var readerOptions: [String]

    init(_ name: String, _ bag: String, _ readerOptions: [String] = []) {
        (self.name, self.bag, self.readerOptions) = (name, bag, readerOptions)
    }

    /// 150 MB/s, 60 and 100 with the small buffer, 50,000 messages a second.
    func goalMilliseconds(_ plan: BagPlan) -> Double {
        if bag.hasSuffix("poses") { return Double(plan.messages) / 50 }
        let megabytes = readerOptions.isEmpty ? 150.0 : bag.hasSuffix("clouds") ? 100 : 60
        return plan.bytes / megabytes / 1e3
    }

    /// Replays at full speed; returns what the player took, and whether the reader had every message.
    func play(
        _ binary: String,
        _ reader: String,
        _ plan: BagPlan,
        domain: Int
    ) throws(BenchError) -> (ChildResult, isWhole: Bool) {
        let process = try ChildProcess(
            [
                reader, "--domain", "\(domain)", "--topics", plan.topics.joined(separator: ","), "--expect",
                "\(plan.messages)",
            ] + readerOptions
        )
        let result = try run(
            [
                binary, "replay", bag, "--ros2", "--domain", "\(domain)", "--rate", "max", "--wait-for-readers", "all",
                "-q",
            ]
        )
        guard result.status == 0 else { throw BenchError("\(name): ended with status \(result.status)") }
        _ = process.readOutput()
        return (result, process.wait().status == 0)
    }
}

/// Replays a bag into a server at full speed, until it has confirmed everything; returns the milliseconds.
private func bridge(_ server: [String], _ port: String, _ binary: String, _ bag: String) throws(BenchError) -> Double {
    let process = try ChildProcess(server)
    process.waitForPort(port)
    defer { process.stop() }
    let result = try run([binary, "replay", bag, "--url", "ws://127.0.0.1:\(port)", "--rate", "max", "-q"])
    guard result.status == 0 else { throw BenchError("rosbridge: ended with status \(result.status)") }
    return result.milliseconds
}

/// A bag of one topic, `/bench`, with the same message again and again.
@concurrent
private func writeBag<Content: Message>(
    _ path: String,
    count: Int,
    _ first: Content,
    _ stamp: @Sendable (inout Content, Header) -> Void
) async throws {
    let topic = Topic(name: "/bench", type: Content.self)
    let sink = BagSink(FilePath(path), options: BagOptions(maximumChunkBytes: nil))
    try await sink.open([topic])
    var message = first
    for index in 0..<count {
        let time = 1_700_000_000_000_000_000 + Int64(index) * 1_000_000
        var header = Header()
        header.stamp = Time(nanosecondsSinceEpoch: time)
        header.frameID = "map"
        stamp(&message, header)
        try await sink.write(StampedMessage(topic: topic, timeNanoseconds: time, message: message))
    }
    _ = try await sink.finish()
}
