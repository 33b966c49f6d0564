package import Messages
import NIOCore
import NIOPosix
package import Rosbridge
import Text
import WebSocket

/// Publishes messages as Arvos does: to a server that listens, or to all clients that connect.
///
/// Each receiver has a bounded queue of its own; one that stalls costs the others nothing.
package actor ArvosSink: MessageSink, WaitingActor {
    package enum Mode: Sendable {
        case connect(RosbridgeURL)
        case listen(ServerOptions)
    }

    /// How it is sent.
    package struct Delivery: Sendable {
        package var queueBytes = 16 << 20
        /// True if nothing is dropped: the player waits for the slowest receiver.
        package var waits = false
        /// How long a lost server is looked for.
        package var reconnectSeconds = 30.0
        package var transport = TransportOptions { $0.limits = ConnectionLimits(bytes: 1 << 20) }
        /// Told what a user wants to know while it runs.
        package var notice: @Sendable (String) -> Void = { _ in }
        /// Carries out a command of a receiver and says what became of it; nil where commands are not allowed.
        package var command: (@Sendable (ArvosCommand) async -> String)?

        package init() {}
    }

    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let mode: Mode
    let options: ArvosOptions
    let delivery: Delivery
    var encoder: ArvosEncoder?
    var handshake: [ArvosPacket] = []
    var links: [Int: QueuedClient<ArvosQueue>] = [:]
    var nextLink = 0
    private var tasks: [Task<Void, Never>] = []
    private var server: Server?
    package var waiters: [CheckedContinuation<Void, Never>] = []
    var failure: (any Error)?
    var isFinishing = false
    var streams: Set<ArvosStream>
    private var written: [String: (count: Int, bytes: Int)] = [:]
    var clientLines: [String] = []
    /// Messages by stream that receivers were too slow for, each counted for itself, or that came while there was none.
    var dropped: [ArvosStream: Int] = [:]
    private var withheld = 0
    var interruptions = 0
    private var isHurried = false

    /// How long a receiver that takes nothing is waited for at the end.
    private static let stallPatience = Duration.seconds(2)

    package init(_ mode: Mode, options: ArvosOptions, delivery: Delivery = Delivery()) {
        self.mode = mode
        self.options = options
        self.delivery = delivery
        streams = options.streams
    }

    /// Runs where its connections are: with many receivers, changes of threads cost more than what is sent.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// The port that clients connect to; nil before ``open(_:)`` or for a client.
    package var port: Int? { server?.port }

    package func open(_ topics: [Topic]) async throws {
        encoder = ArvosEncoder(topics, options)
        switch mode {
        case .connect(let url):
            let transport = try await WebSocketTransport.connect(to: url, options: delivery.transport)
            tasks.append(Task { await self.stayConnected(to: url, transport) })
        case .listen(var options):
            options.compression = nil
            let server = try await Server(options, on: loop)
            self.server = server
            delivery.notice("Arvos: listening on \(options.address):\(server.port), waiting for a client")
            tasks.append(Task { await server.run { await self.serve($0.transport, $0.address) } })
        }
        await waitForReceiver()
    }

    /// Returns when there is a receiver, or when none will come.
    private func waitForReceiver() async {
        await wait { !$0.links.isEmpty || $0.failure != nil || $0.isFinishing || $0.isHurried }
    }

    package func write(_ message: StampedMessage) async throws {
        if let failure { throw failure }
        guard let encoder else { return }
        if handshake.isEmpty {
            let stamp = message.message.headerStampNanoseconds ?? message.timeNanoseconds
            handshake = [encoder.handshake(stamp), encoder.status("streaming", "")]
            for link in links.values { await greet(link) }
        }
        guard let packets = encoder.packets(message) else { return }
        let before = written[message.topic.name] ?? (0, 0)
        written[message.topic.name] = (before.count + 1, before.bytes)
        for packet in packets { await broadcast(packet) }
    }

    private func broadcast(_ packet: ArvosPacket) async {
        guard packet.stream.map({ streams.contains($0) }) ?? true else { return withheld += 1 }
        if delivery.waits { await waitForReceiver() }
        if let topic = encoder?.topic(of: packet.stream) { written[topic]?.bytes += packet.byteCount }
        if links.isEmpty, let stream = packet.stream { dropped[stream, default: 0] += 1 }
        for number in links.keys.sorted() { await links[number]?.outbox.offer(packet) }
    }

    package func finish() async throws -> SinkReport {
        // A receiver that takes nothing is not waited for.
        let watches = links.values.map { link in
            Task { await link.endWhenStalled(patience: Self.stallPatience) }
        }
        if let encoder, !isHurried { for packet in encoder.finish() { await broadcast(packet) } }
        isFinishing = true
        for link in links.values {
            if let encoder { await link.outbox.offer(encoder.status("stopped", "")) }
            await link.outbox.finish()
        }
        server?.stopListening()
        // No receiver is left to look for.
        if links.isEmpty { for task in tasks { task.cancel() } }
        for task in tasks { await task.value }
        for watch in watches { watch.cancel() }
        if let failure { throw failure }
        return report()
    }

    package func hurry() async {
        isHurried = true
        wake()
        try? await Task.sleep(for: .hurry)
        for link in links.values { await link.end() }
        for task in tasks { task.cancel() }
    }

    package func report() -> SinkReport {
        var topics = written.map { name, counts in
            let lost = ArvosStream.allCases.filter { encoder?.topic(of: $0) == name }.compactMap { dropped[$0] }
            return SinkReport.TopicCount(
                name: name,
                written: counts.count,
                dropped: lost.reduce(0, +),
                bytes: counts.bytes
            )
        }
        topics.sort { $0.name < $1.name }
        var warnings = clientLines
        if let counts = encoder?.counts { warnings += counts.lines }
        let ignored = encoder?.ignoredTopics ?? []
        if withheld > 0 { warnings.append("\(withheld) messages were left out in the mode that a receiver chose") }
        if !ignored.isEmpty { warnings.append("topics without a form in Arvos: \(ignored.joined(separator: ", "))") }
        return SinkReport(
            topics: topics,
            connection: SinkReport.Connection(isConfirming: false, interruptions: interruptions),
            warnings: warnings
        )
    }
}

extension ArvosEncodingCounts {
    /// Remarks for the user; empty where everything was sent as it is.
    var lines: [String] {
        var lines: [String] = []
        if shrunkImages > 0 { lines.append("\(shrunkImages) images were encoded again to fit into messages of 1 MiB") }
        if thinnedClouds > 0 {
            lines.append("\(thinnedClouds) clouds were thinned to fit: \(keptPoints) of \(offeredPoints) points")
        }
        if withoutGravity > 0 {
            lines.append("\(withoutGravity) IMU samples have no attitude: their linearAcceleration includes gravity")
        }
        lines += unusable.sorted { $0.key < $1.key }.map { "\($0.value) messages of \($0.key) have no form in Arvos" }
        return lines
    }
}

// Receivers come, are greeted, and leave.
extension ArvosSink {
    /// Serves a connection to its end; returns what ended it.
    @discardableResult
    func serve(_ transport: WebSocketTransport, _ name: String) async -> (any Error)? {
        let queue = ArvosQueue(byteLimit: delivery.queueBytes, waits: delivery.waits)
        let link = QueuedClient(transport, name: name, queue, on: loop)
        let number = nextLink
        nextLink += 1
        if isFinishing { await link.outbox.finish() }
        // Greeted before anything else is sent to it.
        if !handshake.isEmpty { await greet(link) }
        links[number] = link
        wake()
        delivery.notice("Arvos: \(name) connected")
        let ending = await link.serve { message in
            guard message.kind == .text else { return }
            if let answer = await self.answer(message.payload) { await link.outbox.offer(answer) }
        }
        let farewell = await link.farewell(ending)
        if !isFinishing { delivery.notice("Arvos: \(farewell)") }
        links[number] = nil
        let unsent = await link.outbox.queue.dropped
        for (stream, count) in unsent { dropped[stream, default: 0] += count }
        let lost = unsent.map { (name: $0.key.rawValue, count: $0.value) }.sorted { $0.name < $1.name }
        if clientLines.count < 100, let line = link.slowness(lost) { clientLines.append(line) }
        return ending
    }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        wake()
    }

    func greet(_ link: QueuedClient<ArvosQueue>) async {
        for packet in handshake { await link.outbox.offer(packet) }
    }

    func stayConnected(to url: RosbridgeURL, _ first: WebSocketTransport) async {
        var transport = first
        while true {
            let ending = await serve(transport, url.description)
            guard !isFinishing, failure == nil, !Task.isCancelled else { return }
            interruptions += 1
            let cause = (ending as? RosbridgeError)?.cause ?? "closed"
            delivery.notice(
                "connection lost (\(cause)); trying again for \(delivery.reconnectSeconds.text(decimals: 0)) s"
            )
            do {
                transport = try await .connect(
                    to: url,
                    options: delivery.transport,
                    tryingFor: .seconds(delivery.reconnectSeconds),
                    every: .milliseconds(300)
                ) { !self.isFinishing }
            } catch {
                return fail(
                    ending ?? RosbridgeError(url.description, .lost, "expected an open connection, found it closed")
                )
            }
        }
    }

    /// Carries out a command, where that is allowed, and answers with a status.
    private func answer(_ text: [UInt8]) async -> ArvosPacket? {
        guard let encoder else { return nil }
        let message: ArvosMessage
        do throws(ArvosProblem) {
            message = try ArvosParser.text(text)
        } catch {
            if error.kind == .otherProtocol {
                delivery.notice("Arvos: \(error)")
                if case .connect(let url) = mode {
                    fail(RosbridgeError(url.description, .message, "\(error)"))
                }
            }
            return encoder.status("error", "\(error)")
        }
        guard message.type == "command" else { return nil }
        guard let command = ArvosCommand(message) else {
            return encoder.status("error", "expected start_recording, stop_recording or change_mode")
        }
        guard let carryOut = delivery.command else {
            return encoder.status("streaming", "commands are not allowed here (--allow-commands)")
        }
        if case .changeMode(let mode) = command {
            guard let preset = ArvosStream.Preset(mode: mode) else {
                let known = ArvosStream.Preset.allCases.map(\.rawValue).joined(separator: ", ")
                return encoder.status("error", "change_mode: expected \(known), found \(mode)")
            }
            streams = preset.streams.intersection(options.streams)
            return encoder.status("streaming", "mode \(preset.rawValue)")
        }
        return encoder.status(command == .startRecording ? "streaming" : "stopped", await carryOut(command))
    }
}
