import Arvos
import Bags
import Messages
import Platform
import Rosbridge
import SystemPackage

extension RecordCommand {
    /// `record` of Arvos.
    func recordArvos(_ modes: [ArvosReceiver.Mode]) async throws {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "arvos"]
        let options = try bag.options(durability: .resilient, customData: provenance, output: output)
        let recorder = Recorder(BagSink(FilePath(output), options: options), selection: selection, viewer: try viewer())
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
            let reaches = places.compactMap { reach($0) }
            let (output, untilDisconnect) = (output, untilDisconnect)
            try await progress.run("record") { tell in
                await recorder.follow(tell)
                Terminal.printError("recording Arvos to \(output): \(list); Ctrl-C ends")
                for reach in reaches { Terminal.printError(reach) }
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

    private func reach(_ place: ArvosReceiver.Place) -> String? {
        guard let address = place.address, let port = place.port else { return nil }
        return Reachability.text(
            address,
            port,
            scheme: place.scheme,
            opening: "\(place.scheme.hasPrefix("http") ? "--arvos-http" : "--arvos") 0.0.0.0:\(port)",
            asksForToken: serving.asksForToken
        )
    }

    private func finish(_ recorder: Recorder, _ receiver: ArvosReceiver) async throws -> SinkReport {
        await recorder.note(receiver.provenance)
        return try await recorder.finish()
    }
}

/// The reach of a server, and the URL to type for it.
enum Reachability {
    /// Nil for an address of one interface, which the user has chosen.
    ///
    /// - Parameters:
    ///   - opening: the option that lets others in.
    static func text(_ address: String, _ port: Int, scheme: String, opening: String, asksForToken: Bool) -> String? {
        let addresses = LocalAddresses.all
        let urls = (addresses.isEmpty ? ["ADDRESS-OF-THIS-MACHINE"] : addresses).map { "\(scheme)://\($0):\(port)" }
        let typed = urls.joined(separator: " or ")
        if LocalAddresses.isLoopback(address) {
            return "only this machine can reach it; for a phone: \(opening), and type \(typed) there"
        }
        guard LocalAddresses.isAny(address) else { return nil }
        return "on a phone type \(typed)" + (asksForToken ? "" : "; no token is asked for (--token-file)")
    }
}
