/// The whole job as processes: clouds at 5 Hz, images at 2 Hz and poses at 10 Hz, from a session to a bag or a server.
///
/// `--binary` names the release build of the command, `--python` an interpreter with the Python peers' packages.
func benchWholeProcess(_ arguments: Arguments, sink: Job.Sink) throws -> Report {
    let session = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 3)
    var tally = Tally()
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    let output = scratch("output")
    let jobs = try ["0.1", "0.02"].flatMap {
        try Job.all(sink, session: session, voxel: $0, output: output, arguments)
    }
    for _ in 0..<rounds {
        for job in jobs {
            _ = try run(["rm", "-rf", output])
            let server = try job.startServer(arguments)
            let result = try run(job.words)
            server?.stop()
            guard result.status == 0 else { throw BenchError("\(job.name): ended with status \(result.status)") }
            tally.add(job.name, result)
        }
        try tally.addPeer(arguments.peer("jpeg_bench").map { [$0, try arguments.operand(1, "a short session"), "1"] })
    }
    for job in jobs where job.isOurs {
        tally.add("\(job.name) RSS", tally.use(job.name).megabytes)
    }
    tally.add("64 MB", 64)
    var report = Report(title: "a session to a \(sink.rawValue), whole processes; ms, and MB")
    for job in jobs {
        let note = tally.use(job.name).text
        if !job.isOurs { report.lines.append(tally.line(job.name, note: note)) }
        for (peer, goal, clouds) in job.comparisons {
            report.lines.append(tally.line(job.name, note: note, peer: peer, goal: goal, dividedBy: clouds))
        }
        if job.isOurs {
            report.lines.append(tally.line("\(job.name) RSS", peer: "64 MB", goal: Goal(1, stretch: 45.0 / 64)))
        }
    }
    return report
}

/// One program that does the job.
struct Job {
    enum Sink: String {
        case bag
        case server
    }

    var name: String
    var words: [String]
    var isOurs = false
    /// Whom to compare with, the goal, and by what to divide first.
    var comparisons: [(peer: String, goal: Goal?, divisor: Double)] = []
    private var needsServer = false

    private static let port = "19193"
    /// 5 Hz of 20 s.
    private static let clouds = 100.0

    /// Ours first, then the peers that are there.
    static func all(
        _ sink: Sink,
        session: String,
        voxel: String,
        output: String,
        _ arguments: Arguments
    ) throws -> [Job] {
        guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
        let isBag = sink == .bag
        let url = "ws://127.0.0.1:\(port)"
        let topics = ["/mapping/pointcloud/lidar", "/mapping/camera/image/compressed", "/mapping/pose"]
        let target = isBag ? ["-o", output] : ["--url", url]
        let pace = isBag ? [] : ["--rate", "max", "--no-confirm", "--settle", "0"]
        var ours = Job(
            name: "mapeverything \(voxel) m",
            words: [binary, isBag ? "bag" : "replay", session] + target + [
                "--profile", "record", "--voxel-size", voxel, "-j", "1",
            ] + pace
                + ["--topics"] + topics,
            isOurs: true,
            needsServer: !isBag
        )
        var jobs: [Job] = []
        func add(_ name: String, _ words: [String]?) -> String {
            guard let words else { return "" }
            let name = "\(name) \(voxel) m"
            jobs.append(Job(name: name, words: words + ["--voxel", voxel], needsServer: !isBag))
            return name
        }
        let script = arguments.python(isBag ? "e2e_bag.py" : "e2e_ws.py").map {
            $0 + [session, isBag ? output : url]
        }
        // The best that Python can do needs packages that not everybody has.
        let hasBest = try isBag || arguments.interpreter(with: "orjson", "pybase64") != nil
        let fastJSON = isBag ? [] : ["--json", "orjson"]
        let typical = add("python numpy, full decode", script)
        let best = add("python numpy, 1/8 decode", hasBest ? script.map { $0 + ["--decode", "8"] + fastJSON } : nil)
        let floor = arguments.peer("e2e_floor").map {
            [$0, session, isBag ? "bag:\(output)" : "ws:\(port)"]
        }
        let turbo = add("C++ floor, turbo 1/8", floor.map { $0 + ["--decode", "8"] })
        let direct = add("C++ floor, DC only", floor.map { $0 + ["--decode", "dc"] })
        ours.comparisons = [
            (typical, isBag ? Goal(1.0 / 3, stretch: 1.0 / 6) : nil, 1),
            (best, isBag ? Goal(1.0 / 2, stretch: 1.0 / 4) : Goal(1 / 1.8, stretch: 1.0 / 4), 1),
            (turbo, nil, 1),
            (direct, nil, 1),
            ("tj_1/8_rgb", Goal(voxel == "0.1" ? 1.3 : 1.5, stretch: 0.75), clouds),
        ]
        return [ours] + jobs
    }

    /// The server that reads and discards, where the job needs one.
    func startServer(_ arguments: Arguments) throws -> ChildProcess? {
        guard needsServer else { return nil }
        guard let sink = arguments.peer("ws_sink") else { throw BenchError("--peers: expected the folder of ws_sink") }
        let server = try ChildProcess([sink, Self.port, "--count", "1"])
        server.waitForPort(Self.port)
        return server
    }
}
