import Messages
import Playback
import Rosbridge

// Clients come, are told what there is, and leave.
extension FoxgloveSink {
    /// Serves a connection to its end.
    func serve(_ connection: Server.Client) async {
        let queue = FoxgloveQueue(
            messageLimit: options.queueMessages,
            byteLimit: options.queueBytes,
            waits: options.waits
        )
        let link = QueuedClient(connection.transport, name: connection.address, queue, on: loop)
        clientCount += 1
        let number = clientCount
        // Greeted before anything else is sent to it.
        await link.outbox.offer(FoxgloveQueue.Item(.text(FoxgloveText.serverInfo(options))))
        clients[number] = Client(link: link)
        if isFinishing { await link.outbox.finish() }
        await advertise(to: link, 0..<topics.count)
        // A client takes for granted that a player is paused at its beginning, and plays at the recording's own speed.
        if let state = await playbackState, toldState != nil || state.status != .paused || state.speed != 1 {
            await link.outbox.offer(FoxgloveQueue.Item(.state(state)))
        }
        note("\(link.name) connected")
        let ending = await link.serve { message in await self.handle(message, from: number) }
        clients[number] = nil
        await setDemand()
        let counts = await link.outbox.queue.counts
        for (place, count) in counts { self.counts[place, default: FoxgloveQueue.Count()].add(count) }
        let farewell = await link.farewell(ending)
        if !isFinishing { note(farewell) }
        let dropped = counts.sorted { $0.key < $1.key }.map { (name: topics[$0.key].name, count: $0.value.dropped) }
        if clientLines.count < 100, let line = link.slowness(dropped.filter { $0.count > 0 }) {
            clientLines.append(line)
        }
    }

    /// Tells the user, who is not to be flooded.
    private func note(_ text: String) {
        notices += 1
        if notices <= 1000 { options.notice(text) }
        if notices == 1000 { options.notice("further clients that come and go are not told") }
    }

    func advertise(to client: QueuedClient<FoxgloveQueue>, _ places: some RangeExpression<Int>) async {
        for text in FoxgloveText.advertisements(topics, places.relative(to: topics)) {
            await client.outbox.offer(FoxgloveQueue.Item(.text(text)))
        }
    }

    func setDemand() async {
        let wanted = Set(clients.values.flatMap(\.subscriptions.keys))
        // What is no longer followed grows old.
        cache = cache.filter { topics[$0.key].isLatched || wanted.contains($0.key) }
        await subscribed.set(Set(wanted.map { topics[$0].name }))
    }
}
