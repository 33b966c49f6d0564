import JSONText
import Rosbridge
import WebSocket

/// A connection to one receiver: a task that sends what waits for it, and one that reads its commands.
struct ArvosClientLink: Sendable {
    let transport: WebSocketTransport
    let name: String
    let outbox: ArvosOutbox

    /// Runs until the connection ends or all was sent; returns what ended it, nil for a regular end.
    func run(onText: @escaping @Sendable (String) async -> ArvosPacket?) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask { await outbox.drain(to: transport) }
            group.addTask { await receive(onText) }
            let first = await group.next() ?? nil
            await outbox.finish(droppingRest: first != nil)
            // The one that reads ends with the connection.
            transport.abort()
            group.cancelAll()
            return first
        }
    }

    private func receive(_ onText: @Sendable (String) async -> ArvosPacket?) async -> (any Error)? {
        do {
            for try await batch in transport.batches {
                for message in batch where message.kind == .text {
                    if let answer = await onText(String(decoding: message.payload, as: UTF8.self)) {
                        await outbox.offer(answer)
                    }
                }
                transport.receiveMore()
            }
            return nil
        } catch {
            return error
        }
    }
}

/// A command of a receiver, as Arvos has them.
package enum ArvosCommand: Sendable, Hashable {
    case startRecording
    case stopRecording
    case changeMode(String)

    init?(_ message: ArvosMessage) {
        guard message.type == "command", let name = message["command"]?.string else { return nil }
        switch name {
        case "start_recording": self = .startRecording
        case "stop_recording": self = .stopRecording
        case "change_mode": self = .changeMode(message["mode"]?.string ?? "")
        default: return nil
        }
    }
}
