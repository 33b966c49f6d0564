import Messages
import NIOPosix
import Rosbridge
import WebSocket

/// Poses to a recorder, until it has confirmed the last: our publisher to `record`, and prepared texts to it and a peer.
///
/// `--binary` names the release build of the command, `--python` an interpreter with the Python peers' packages.
func benchRecord(_ arguments: Arguments) async throws -> Report {
    let rounds = try arguments.number("--rounds", default: 5)
    let count = try arguments.number("--repetitions", default: 20_000)
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    guard let binary = arguments.string("--binary") else { throw BenchError("record: expected --binary") }
    var tally = Tally()
    let published = "publisher to record", texts = "texts to record", peer = "texts to websockets, json, rosbags"
    for round in 0..<rounds {
        let port = "\(9400 + round)"
        let ours = [binary, "record", "-q", "-o", scratch("bag"), "--force", "--port", port]
        tally.add(published, try await time(ours, port) { try await publishPoses(count, $0) })
        tally.add(texts, try await time(ours, port) { try await sendPoses(count, $0) })
        guard let python = arguments.string("--python") else { continue }
        let theirs = [python, try Repository.path("tools/peers/record_poses.py"), port, scratch("peer")]
        tally.add(peer, try await time(theirs, port) { try await sendPoses(count, $0) })
    }
    // 20,000 a second, whatever the count.
    tally.add("20,000 a second", Double(count) / 20)
    return Report(
        title: "\(count) poses to a recorder, until all are confirmed; ms",
        lines: [
            tally.line(published, peer: "20,000 a second", goal: Goal(1)),
            tally.line(texts, peer: "20,000 a second", goal: Goal(1)),
            tally.line(texts, peer: peer),
            tally.line(peer),
        ]
    )
}

/// Starts a server and returns the milliseconds that a client of it takes.
private func time(
    _ server: [String],
    _ port: String,
    _ client: (RosbridgeURL) async throws -> Duration
) async throws -> Double {
    let process = try ChildProcess(server)
    process.waitForPort(port)
    defer { process.stop() }
    return try await client(RosbridgeURL("ws://127.0.0.1:\(port)")).milliseconds
}

private let pose = Topic(name: "/pose", type: PoseStamped.self)

private func message(_ index: Int) -> StampedMessage {
    let time = 1_700_000_000_000_000_000 + Int64(index) * 1_000_000
    var message = PoseStamped()
    message.header.stamp = Time(nanosecondsSinceEpoch: time)
    message.header.frameID = "map"
    message.pose.position = Point(x: Double(index) * 0.001234567, y: -1.23456789, z: 0.987654321)
    message.pose.orientation = Quaternion(x: 0.1, y: -0.2, z: 0.3, w: 0.9273618495495704)
    return StampedMessage(topic: pose, timeNanoseconds: time, message: message)
}

/// As `replay --rate max` does it.
private func publishPoses(_ count: Int, _ url: RosbridgeURL) async throws -> Duration {
    let publisher = RosbridgePublisher(
        url,
        options: PublisherOptions {
            $0.resend = .zero
            $0.settle = .zero
        }
    )
    try await publisher.open([pose])
    let start = ContinuousClock.now
    for index in 0..<count { try await publisher.write(message(index)) }
    let report = try await publisher.finish()
    let duration = ContinuousClock.now - start
    guard report.topics.allSatisfy({ $0.written == count && $0.unconfirmed == 0 }) else {
        throw BenchError("record: expected \(count) messages confirmed, found \(report)")
    }
    return duration
}

/// Sends texts that were made before, and a call whose answer says that all of them were taken.
private func sendPoses(_ count: Int, _ url: RosbridgeURL) async throws -> Duration {
    let texts = try (0..<count).map { index in
        var text: [UInt8] = []
        try RosbridgeEnvelope.appendPublish(topic: pose.name, message: message(index).message, to: &text)
        return text
    }
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let options = TransportOptions { $0.pingInterval = nil }
    let transport = try await WebSocketTransport.connect(to: url, options: options, on: eventLoop)
    try await transport.send(text: Operation.advertise(pose).json)
    let start = ContinuousClock.now
    try await LoopSender(eventLoop: eventLoop).send(texts, over: transport)
    try await transport.send(text: Operation.callService(service: "/rosapi/get_time", id: "end").json)
    for try await batch in transport.batches where !batch.isEmpty { break }
    let duration = ContinuousClock.now - start
    await transport.close()
    return duration
}
