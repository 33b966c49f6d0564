import Messages
import NIOPosix
import Playback
import Rosbridge
import WebSocket

// Clients come, are told what there is, and leave.
extension FoxgloveSink {
    func accept(_ listener: Listener) async {
        await withDiscardingTaskGroup { group in
            for await incoming in listener.connections {
                group.addTask {
                    do { try await incoming.transport.waitUntilOpen() } catch { return }
                    await self.serve(incoming.transport, incoming.address)
                }
            }
        }
    }

    /// Serves a connection to its end.
    private func serve(_ transport: WebSocketTransport, _ name: String) async {
        let queue = FoxgloveQueue(
            messageLimit: options.queueMessages,
            byteLimit: options.queueBytes,
            waits: options.waits
        )
        let outbox = FoxgloveOutbox(queue, eventLoop: loop)
        let client = FoxgloveClient(transport: transport, name: name, outbox: outbox)
        let number = nextClient
        nextClient += 1
        clientCount += 1
        // Greeted before anything else is sent to it.
        await outbox.offer(FoxgloveQueue.Item(.text(FoxgloveText.serverInfo(options))))
        clients[number] = client
        if isFinishing { await outbox.finish() }
        await advertise(to: client, 0..<topics.count)
        // A client takes for granted that a player is paused at its beginning, and plays at the recording's own speed.
        if let state = await playbackState, toldState != nil || state.status != .paused || state.speed != 1 {
            await outbox.offer(FoxgloveQueue.Item(.state(state)))
        }
        transport.receiveMore()
        note("\(name) connected")
        let ending = await outbox.serve(transport) { message in await self.handle(message, from: number) }
        clients[number] = nil
        await setDemand()
        await noteLeaving(client, ending)
    }

    /// Counts what a client was sent, and says why it left.
    private func noteLeaving(_ client: FoxgloveClient, _ ending: (any Error)?) async {
        let counts = await client.outbox.queue.counts
        for (place, count) in counts { self.counts[place, default: FoxgloveQueue.Count()].add(count) }
        var why = await client.outbox.wasOverrun ? "it does not read" : ending.map { "\($0)" }
        if let error = ending as? RosbridgeError, error.stage == .closed,
            [1000, 1001, 1005].contains(error.closeCode ?? 1005)
        {
            why = nil
        }
        if !isFinishing { note("\(client.name) left\(why.map { ": \($0)" } ?? "")") }
        let names = counts.sorted { $0.key < $1.key }.filter { $0.value.dropped > 0 }
            .map { "\(topics[$0.key].name) \($0.value.dropped)" }
        if !names.isEmpty, clientLines.count < 100 {
            clientLines.append("\(client.name): dropped as it was too slow: \(names.joined(separator: ", "))")
        }
    }

    /// Tells the user, who is not to be flooded.
    private func note(_ text: String) {
        notices += 1
        if notices <= 1000 { options.notice(text) }
        if notices == 1000 { options.notice("further clients that come and go are not told") }
    }

    func advertise(to client: FoxgloveClient, _ places: some RangeExpression<Int>) async {
        for text in FoxgloveText.advertisements(topics, places.relative(to: topics)) {
            await client.outbox.offer(FoxgloveQueue.Item(.text(text)))
        }
    }

    func setDemand() async {
        let wanted = Set(clients.values.flatMap(\.subscriptions.keys))
        // What is no longer followed grows old.
        cache = cache.filter { topics[$0.key].isLatched || wanted.contains($0.key) }
        await demand.set(Set(wanted.map { topics[$0].name }))
    }

    func cached(_ place: Int) -> Cached? { cache[place] }
}
