import JSONText
import Rosbridge
import WebSocket

// Receivers come, are greeted, and leave.
extension ArvosSink {
    func accept(_ listener: Listener) async {
        await withDiscardingTaskGroup { group in
            for await incoming in listener.connections {
                group.addTask {
                    do { try await incoming.transport.waitUntilOpen() } catch { return }
                    _ = await self.serve(incoming.transport, incoming.address)
                }
            }
        }
    }

    /// Serves a connection to its end; returns what ended it.
    private func serve(_ transport: WebSocketTransport, _ name: String) async -> (any Error)? {
        let queue = ArvosQueue(byteLimit: delivery.queueBytes, waits: delivery.waits)
        let outbox = Outbox(queue, eventLoop: loop)
        let link = ArvosClientLink(transport: transport, name: name, outbox: outbox)
        let number = nextLink
        nextLink += 1
        if isFinishing { await outbox.finish() }
        // Greeted before anything else is sent to it.
        if !handshake.isEmpty { await greet(link) }
        links[number] = link
        letGo()
        transport.receiveMore()
        delivery.notice("Arvos: \(name) connected")
        let ending = await outbox.serve(transport) { message in
            guard message.kind == .text else { return }
            if let answer = await self.answer(message.payload) { await outbox.offer(answer) }
        }
        if !isFinishing { delivery.notice("Arvos: \(name) left\(ending.map { ": \($0)" } ?? "")") }
        links[number] = nil
        let unsent = await outbox.queue.dropped
        for (stream, count) in unsent { dropped[stream, default: 0] += count }
        let lost = unsent.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue) \($0.value)" }
        if !lost.isEmpty, clientLines.count < 100 {
            clientLines.append("\(name): dropped as it was too slow: \(lost.joined(separator: ", "))")
        }
        return ending
    }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        letGo()
    }

    func greet(_ link: ArvosClientLink) async {
        for packet in handshake { await link.outbox.offer(packet) }
    }

    func stayConnected(to url: RosbridgeURL, _ first: WebSocketTransport) async {
        var transport = first
        while true {
            let ending = await serve(transport, url.description)
            guard !isFinishing, failure == nil, !Task.isCancelled else { return }
            interruptions += 1
            delivery.notice("\(url): connection lost\(ending.map { ": \($0)" } ?? ""); trying again")
            guard let next = await reconnect(to: url) else {
                fail(ending ?? RosbridgeError(url.description, .lost, "expected an open connection, found it closed"))
                return
            }
            transport = next
        }
    }

    private func reconnect(to url: RosbridgeURL) async -> WebSocketTransport? {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: .seconds(delivery.reconnectSeconds))
        while clock.now < deadline, !isFinishing, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(300))
            if let transport = try? await WebSocketTransport.connect(to: url, options: delivery.transport) {
                return transport
            }
        }
        return nil
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
