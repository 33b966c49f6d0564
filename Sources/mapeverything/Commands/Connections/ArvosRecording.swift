import Arvos
import Bags
import Files
import Messages
import Rosbridge
import SystemPackage

/// `record` of Arvos.
struct ArvosRecording {
    let command: RecordCommand
    let modes: [ArvosReceiver.Mode]

    func run() async throws {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "arvos"]
        let options = try command.bag.options(durability: .resilient, customData: provenance)
        let recorder = Recorder(
            BagSink(FilePath(command.output), options: options),
            selection: command.selection,
            viewer: try command.viewer()
        )
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
        delivery.naming = command.arvos.arvosTopics ? .arvos : .mapping
        let receiver = ArvosReceiver(modes, delivery)
        do {
            // First the ports, then the folder: a port that is taken must not cost the bag that --force replaces.
            let places = try await receiver.start()
            try await recorder.open()
            let list = places.map(\.text).joined(separator: ", ")
            let reaches = places.compactMap { reach($0) }
            let (output, untilDisconnect) = (command.output, command.untilDisconnect)
            try await command.progress.run("record") { tell in
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
        let summary = "\(counts.receivedCount) messages of Arvos from \(from) in \(command.output)"
        Terminal.print(([report.table, "", summary] + counts.lines + report.warningLines).joined(separator: "\n"))
    }

    private func reach(_ place: ArvosReceiver.Place) -> String? {
        guard let address = place.address, let port = place.port else { return nil }
        return Reachability.text(
            address,
            port,
            scheme: place.scheme,
            opening: "\(place.scheme.hasPrefix("http") ? "--arvos-http" : "--arvos") 0.0.0.0:\(port)",
            asksForToken: command.serving.asksForToken
        )
    }

    private func finish(_ recorder: Recorder, _ receiver: ArvosReceiver) async throws -> SinkReport {
        await recorder.note(receiver.provenance)
        return try await recorder.finish()
    }
}

/// Who can reach a server, and what they type there.
enum Reachability {
    /// Nil for an address of one interface, which the user has chosen.
    ///
    /// - Parameters:
    ///   - opening: the option that lets others in.
    static func text(
        _ address: String,
        _ port: Int,
        scheme: String,
        opening: String,
        asksForToken: Bool
    ) -> String? {
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
