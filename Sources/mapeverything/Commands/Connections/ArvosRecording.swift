import Arvos
import Bags
import Messages
import Platform
import Rosbridge

extension RecordCommand {
    func recordArvos(_ modes: [ArvosReceiver.Mode]) async throws {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "arvos"]
        let options = try bag.options(durability: .resilient, customData: provenance, output: output)
        let (recorder, viewer) = try self.recorder(options)
        let client = RecorderClient(number: 0, address: "Arvos")
        var delivery = ArvosReceiver.Delivery(
            now: { WallClock.nowNanoseconds() },
            notice: { text in Task { await recorder.tell(text) } },
            deliver: { messages in
                for refusal in try await recorder.received(messages, from: client) {
                    await recorder.refused(refusal, from: client)
                }
            }
        )
        delivery.naming = arvos.arvosTopics ? .arvos : .mapping
        let receiver = ArvosReceiver(modes, delivery)
        do {
            // First the ports, then the folder: a port that is taken must not cost the bag that --force replaces.
            let places = try await receiver.start()
            try await recorder.open()
            let list = places.map(\.text).joined(separator: ", ")
            let doors = places.compactMap { door($0) } + (await pageDoor(viewer))
            let reach = Reachability.lines(doors, asksForToken: serving.asksForToken)
            let (output, untilDisconnect) = (output, untilDisconnect)
            try await progress.run("record") { tell in
                await recorder.follow(tell)
                Terminal.printError("recording Arvos to \(output): \(list); Ctrl-C ends")
                for line in reach { Terminal.printError(line) }
                try await receiver.run(untilDisconnect: untilDisconnect)
            }
        } catch {
            _ = try? await finish(recorder, receiver)
            throw error
        }
        let report = try await finish(recorder, receiver)
        let (counts, clients) = (await receiver.counts, await receiver.clientCount)
        let from = "\(clients) \(clients == 1 ? "connection" : "connections")"
        let summary = "\(counts.receivedCount) messages of Arvos from \(from) in \(output)"
        try report.report([summary] + counts.lines).finish()
    }

    private func door(_ place: ArvosReceiver.Place) -> Reachability.Door? {
        guard let address = place.address, let port = place.port else { return nil }
        let name = place.scheme.hasPrefix("http") ? "HTTP" : "recorder"
        return Reachability.Door(name: name, scheme: place.scheme, address: address, port: port)
    }

    private func finish(_ recorder: Recorder, _ receiver: ArvosReceiver) async throws -> SinkReport {
        await recorder.note(receiver.provenance)
        return try await recorder.finish()
    }
}
