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
        Terminal.print(await summary(report, receiver))
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

    private func summary(_ sink: SinkReport, _ receiver: ArvosReceiver) async -> String {
        let (counts, clients) = (await receiver.counts, await receiver.clientCount)
        var lines = [
            RecordCommand.table(sink), "",
            "\(counts.receivedCount) messages of Arvos from \(clients) \(clients == 1 ? "connection" : "connections") in "
                + command.output,
        ]
        lines += ArvosText(counts: counts).lines
        lines += sink.warnings.map { "warning: \($0)" }
        return lines.joined(separator: "\n")
    }
}
