import Messages
import NIOPosix
import Rosbridge
import WebSocket

/// Messages over the transport, masked, to a sink on this machine: against plain send() of the same bytes.
func benchWebSocket(_ arguments: Arguments) async throws -> Report {
    let rounds = try arguments.number("--rounds", default: 5)
    let repetitions = try arguments.number("--repetitions", default: 200)
    guard let sink = arguments.peer("ws_sink"), let sender = arguments.peer("ws_send") else {
        throw BenchError("websocket: expected --peers with ws_sink and ws_send in DIR/bin")
    }
    let sizes = [("0.27 MB", 266_668, "0.27MB"), ("1.33 MB", 1_333_336, "1.33MB"), ("6.67 MB", 6_666_668, "6.67MB")]
    var tally = Tally()
    for round in 0..<rounds {
        let port = 9300 + 2 * round
        for (name, bytes, _) in sizes {
            let samples = try await sendMessages(bytes, repetitions, to: sink, port: port)
            tally.add(name, samples.time)
            tally.add("\(name) CPU", samples.processor)
        }
        tally.add(confirmedName, try await sendConfirmed(sizes[1].1, repetitions, port: port + 20))
        tally.add(plainName, try sendPlain(sizes[1].1, repetitions, to: sink, port: port + 21))
        let raw = try ChildProcess([sink, "\(port + 1)", "--raw", "--count", "1"])
        raw.waitForPort("\(port + 1)")
        try tally.addPeer([sender, "\(port + 1)"])
        _ = raw.readOutput()
    }
    return Report(
        title: "sending a message to a WebSocket sink, until the system has all of it; ms",
        lines: sizes.flatMap { name, _, suffix in
            [
                tally.line(name, peer: "send_plain_\(suffix)", goal: name == "1.33 MB" ? Goal(1.1) : nil),
                tally.line(name, peer: "mask_avx2+send_chunk128K_\(suffix)"),
                tally.line("\(name) CPU", peer: "send_plain_\(suffix) CPU"),
                tally.line("\(name) CPU", peer: "mask_avx2+send_chunk128K_\(suffix) CPU"),
            ]
        } + [tally.line(confirmedName, peer: plainName, goal: Goal(1.3))]
    )
}

private let confirmedName = "1.33 MB, confirmed by barriers"
private let plainName = "plain send, three at a time"

/// Sends the same bytes without any protocol, and measures them as ``sendConfirmed(_:_:port:)`` does.
private func sendPlain(_ bytes: Int, _ count: Int, to sink: String, port: Int) throws -> Samples {
    let process = try ChildProcess([sink, "\(port)", "--raw", "--count", "1"])
    process.waitForPort("\(port)")
    let sender = try PlainSender(port: port)
    let payload = [UInt8](repeating: UInt8(ascii: "A"), count: bytes)
    var samples = Samples()
    for number in 0..<(count / 3) {
        let start = ContinuousClock.now
        for _ in 0..<3 { try sender.send(payload) }
        if number >= 5 { samples.append((ContinuousClock.now - start).milliseconds / 3) }
    }
    sender.close()
    _ = process.readOutput()
    return samples
}

/// Sends messages with barriers, three messages for each, to a sink that answers them at once.
private func sendConfirmed(_ bytes: Int, _ count: Int, port: Int) async throws -> Samples {
    let process = try ChildProcess([CommandLine.arguments[0], "answering-sink", "\(port)"])
    process.waitForPort("\(port)")
    let url = try RosbridgeURL("ws://127.0.0.1:\(port)")
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let options = TransportOptions { $0.pingInterval = nil }
    let transport = try await WebSocketTransport.connect(to: url, options: options, on: eventLoop)
    let text = (0..<bytes).map { UInt8(ascii: "A") + UInt8($0 % 26) }
    let sender = LoopSender(eventLoop: eventLoop)
    let samples = try await sender.sendConfirmed(text, count: count, window: 3, over: transport)
    await transport.close()
    _ = process.readOutput()
    return samples
}

/// Sends messages of one size one after the other, as a publisher does.
private func sendMessages(
    _ bytes: Int,
    _ count: Int,
    to sink: String,
    port: Int
) async throws -> (
    time: Samples, processor: Samples
) {
    let process = try ChildProcess([sink, "\(port)", "--count", "1"])
    process.waitForPort("\(port)")
    let url = try RosbridgeURL("ws://127.0.0.1:\(port)")
    let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let options = TransportOptions { $0.pingInterval = nil }
    let transport = try await WebSocketTransport.connect(to: url, options: options, on: eventLoop)
    let text = (0..<bytes).map { UInt8(ascii: "A") + UInt8($0 % 26) }
    let sender = LoopSender(eventLoop: eventLoop)
    let samples = try await sender.send(text, count: count, over: transport)
    await transport.close()
    _ = process.readOutput()
    return samples
}
