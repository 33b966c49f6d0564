import JSONText
import Messages
import Playback
import WebSocket

// What clients ask for. What cannot be done is answered with a status, and the connection stays (SDK 0.30).
extension FoxgloveSink {
    func handle(_ message: WebSocketMessage, from number: Int) async {
        do throws(FoxgloveProblem) {
            switch message.kind {
            case .text: try await handle(FoxgloveRequest(message.payload), from: number)
            case .binary: try await handle(message.payload, from: number)
            }
        } catch {
            await tell(error, to: number)
        }
    }

    private func tell(_ problem: FoxgloveProblem, to number: Int) async {
        await clients[number]?.outbox.offer(FoxgloveOutbox.Item(content: .text(FoxgloveText.status(problem))))
    }

    private func handle(_ request: FoxgloveRequest, from number: Int) async throws(FoxgloveProblem) {
        switch request {
        case .subscribe(let entries, let unreadable):
            await subscribe(entries, from: number)
            if unreadable > 0 {
                throw FoxgloveProblem(
                    "Invalid message: subscribe: \(unreadable) entries: expected numbers id and channelId, found others"
                )
            }
        case .unsubscribe(let ids): await unsubscribe(ids, from: number)
        case .getParameters(let names, let id):
            try refuseWithoutPlayer("parameters")
            await sendParameters(Set(names), id: id, to: number)
        case .setParameters(let parameters, let id):
            try refuseWithoutPlayer("parameters")
            for parameter in parameters { await set(parameter, from: number) }
            if let id { await sendParameters(Set(parameters.map(\.name)), id: id, to: number) }
        case .subscribeParameters(let names):
            try refuseWithoutPlayer("parametersSubscribe")
            clients[number]?.parameters = names.isEmpty ? [] : (clients[number]?.parameters ?? []).union(names)
        case .unsubscribeParameters(let names):
            try refuseWithoutPlayer("parametersSubscribe")
            let left = clients[number]?.parameters?.subtracting(names) ?? []
            clients[number]?.parameters = names.isEmpty || left.isEmpty ? nil : left
        case .notOffered(let op): throw FoxgloveProblem("Server does not support \(op)")
        }
    }

    private func refuseWithoutPlayer(_ capability: String) throws(FoxgloveProblem) {
        guard control != nil else { throw FoxgloveProblem("Server does not support \(capability) capability") }
    }

    // MARK: - Subscriptions

    private func subscribe(_ entries: [FoxgloveRequest.Subscription], from number: Int) async {
        var new: [Int] = []
        for entry in entries {
            guard let client = clients[number] else { return }
            guard !client.subscriptions.values.contains(entry.id) else {
                await tell(FoxgloveProblem("Subscription ID \(entry.id) is used already; ignored"), to: number)
                continue
            }
            guard entry.channel >= 1, entry.channel <= UInt64(topics.count) else {
                await tell(FoxgloveProblem("Unknown channel \(entry.channel)"), to: number)
                continue
            }
            let place = Int(entry.channel) - 1
            guard client.subscriptions[place] == nil else {
                let text = "Channel \(entry.channel) is subscribed to already; ignored"
                await tell(FoxgloveProblem(text, level: 1), to: number)
                continue
            }
            clients[number]?.subscriptions[place] = entry.id
            new.append(place)
        }
        guard !new.isEmpty else { return }
        await setDemand()
        var isMissing = false
        for place in new {
            if let cached = cached(place) { await send(cached, of: place, to: number) } else { isMissing = true }
        }
        // While nothing plays the client would see nothing: the place at hand is shown once more.
        guard isMissing, let control, await control.isPaused, awaitedPlace == nil else { return }
        isRefreshing = true
        if await control.apply(.seek(.date(nanoseconds: currentTime))) != nil { isRefreshing = false }
    }

    private func unsubscribe(_ ids: [UInt32], from number: Int) async {
        for id in ids {
            guard let client = clients[number] else { return }
            guard let place = client.subscriptions.first(where: { $0.value == id })?.key else {
                await tell(FoxgloveProblem("Unknown subscription \(id); ignored", level: 1), to: number)
                continue
            }
            clients[number]?.subscriptions[place] = nil
            await client.outbox.forget(subscription: id)
        }
        await setDemand()
    }

    // MARK: - Playback

    /// The slowest and fastest rates, as the SDK's player has them.
    private static let rates = 0.01...100.0

    private func handle(_ bytes: [UInt8], from number: Int) async throws(FoxgloveProblem) {
        guard let opcode = bytes.first else { return }
        guard opcode == 0x03 else { throw FoxgloveProblem("Invalid message: unknown opcode \(opcode)") }
        let request = try FoxglovePlaybackRequest(bytes.dropFirst())
        guard let control else { throw FoxgloveProblem("Server does not support playbackControl capability") }
        requestsUnderWay += 1
        defer { requestsUnderWay -= 1 }
        var didSeek = false
        if let place = request.seekNanoseconds { didSeek = await seek(to: place, control) }
        await setRate(request.speed, control)
        await control.apply(request.plays ? .resume : .pause)
        await tell(didSeek: didSeek, requestID: request.requestID)
    }

    /// - Returns: Whether the player goes there.
    private func seek(to place: Int64, _ control: PlaybackControl) async -> Bool {
        guard let span = options.span else { return false }
        let place = min(max(place, span.lowerBound), span.upperBound)
        awaitedPlace = place
        isRefreshing = false
        await leavePlace(to: place)
        let isDone = await control.apply(.seek(.date(nanoseconds: place))) == nil
        if !isDone { awaitedPlace = nil }
        return isDone
    }

    private func setRate(_ speed: Double, _ control: PlaybackControl) async {
        let speed = speed.isNaN ? Self.rates.lowerBound : speed
        await control.apply(.rate(min(max(speed, Self.rates.lowerBound), Self.rates.upperBound)))
    }

    /// Tells all clients how the player stands.
    func tell(didSeek: Bool, requestID: String = "") async {
        guard let control else { return }
        let condition = await control.condition
        var state = FoxglovePlaybackState(
            status: condition.isEnded ? .ended : condition.isPaused ? .paused : .playing,
            timeNanoseconds: currentTime,
            speed: condition.rate ?? Self.rates.upperBound
        )
        toldState = state
        state.didSeek = didSeek
        state.requestID = requestID
        await broadcast(FoxgloveOutbox.Item(content: .frame(FoxgloveFrames.state(state))))
        for number in clients.keys.sorted() {
            if let names = clients[number]?.parameters { await sendParameters(names, id: nil, to: number) }
        }
    }

    /// Tells of a change that no client has asked for.
    ///
    /// - Returns: Whether more is to be told.
    func noteCondition() async -> Bool {
        guard let control else { return false }
        let condition = await control.condition
        guard requestsUnderWay == 0 else { return true }
        let status: FoxglovePlaybackState.Status =
            condition.isEnded ? .ended : condition.isPaused ? .paused : .playing
        let speed = condition.rate ?? Self.rates.upperBound
        // Where it begins is what clients take for granted.
        if toldState == nil, status == .paused { return true }
        if toldState?.status != status || toldState?.speed != speed { await tell(didSeek: false) }
        return true
    }

    // MARK: - Parameters

    private static let prefix = "/mapeverything/player."

    private func sendParameters(_ names: Set<String>, id: String?, to number: Int) async {
        guard let control, let span = options.span else { return }
        let condition = await control.condition
        let all: [(name: String, value: JSONValue)] = [
            (Self.prefix + "playing", .bool(!condition.isPaused)),
            (Self.prefix + "speed", .number(condition.rate ?? Self.rates.upperBound)),
            (Self.prefix + "time", .number(Double(currentTime &- span.lowerBound) / 1e9)),
            (Self.prefix + "loop", .bool(condition.isLooping)),
        ]
        let asked = names.isEmpty ? all : all.filter { names.contains($0.name) }
        let text = FoxgloveText.parameters(asked, id: id)
        await clients[number]?.outbox.offer(FoxgloveOutbox.Item(content: .text(text)))
    }

    private func set(_ parameter: FoxgloveRequest.Parameter, from number: Int) async {
        guard let control, let span = options.span else { return }
        requestsUnderWay += 1
        defer { requestsUnderWay -= 1 }
        var didSeek = false
        switch (parameter.name, parameter.value.bool, parameter.value.number) {
        case (Self.prefix + "playing", let plays?, _): await control.apply(plays ? .resume : .pause)
        case (Self.prefix + "loop", let loops?, _): await control.apply(.loop(loops))
        case (Self.prefix + "speed", _, let speed?): await setRate(speed, control)
        case (Self.prefix + "time", _, let seconds?):
            let offset = Int64(exactly: (min(max(seconds, 0), 1e9) * 1e9).rounded()) ?? 0
            didSeek = await seek(to: span.lowerBound &+ offset, control)
        default:
            let text = "\(parameter.name.prefix(100)): expected a parameter of this server with a value of its type"
            return await tell(FoxgloveProblem(text, level: 1), to: number)
        }
        await tell(didSeek: didSeek)
    }
}
