import Rosbridge
import Text
import WebSocket

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
            delivery.notice("\(url): connection lost\(ending.map { ": \($0)" } ?? ""); trying again")
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
