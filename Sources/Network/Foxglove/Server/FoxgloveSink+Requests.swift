import Playback
import Rosbridge
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
        await clients[number]?.link.outbox.offer(FoxgloveQueue.Item(.text(FoxgloveText.status(problem))))
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
            await set(parameters, from: number)
            if let id { await sendParameters(Set(parameters.map(\.name)), id: id, to: number) }
        case .subscribeParameters(let names):
            try refuseWithoutPlayer("parametersSubscribe")
            clients[number]?.parameters.formUnion(Self.parameters(named: names))
            await greet(number, with: names)
        case .unsubscribeParameters(let names):
            try refuseWithoutPlayer("parametersSubscribe")
            clients[number]?.parameters.subtract(Self.parameters(named: names))
        case .notOffered(let op): throw FoxgloveProblem("Server does not support \(op)")
        }
    }

    /// The number of mistakes in one request that are told.
    private static let toldProblems = 20

    private func refuseWithoutPlayer(_ capability: String) throws(FoxgloveProblem) {
        guard control != nil || options.recording != nil else {
            throw FoxgloveProblem("Server does not support \(capability) capability")
        }
    }

    // MARK: - Subscriptions

    private func subscribe(_ entries: [FoxgloveRequest.Subscription], from number: Int) async {
        var problems: [FoxgloveProblem] = []
        for entry in entries {
            do throws(FoxgloveProblem) {
                let place = try subscribe(entry, from: number)
                if let cached = cache[place] { await send(cached, of: place, to: number) }
            } catch {
                problems.append(error)
            }
        }
        await tell(problems, to: number)
        await setDemand()
        // While nothing plays the client would see nothing: the place at hand is shown once more.
        guard let client = clients[number], !client.missing.isEmpty, let control, await control.isPaused,
            awaitedPlace == nil, refreshedPlace == nil
        else { return }
        refreshedPlace = currentTime
        if await control.apply(.seek(.date(nanoseconds: currentTime))) != nil { refreshedPlace = nil }
    }

    /// - Returns: The place of the topic.
    private func subscribe(
        _ entry: FoxgloveRequest.Subscription,
        from number: Int
    ) throws(FoxgloveProblem) -> Int {
        guard let client = clients[number] else { throw FoxgloveProblem("The connection has ended") }
        guard !client.subscriptions.values.contains(entry.id) else {
            throw FoxgloveProblem("Subscription ID \(entry.id) is used already; ignored")
        }
        guard entry.channel >= 1, entry.channel <= UInt64(topics.count) else {
            throw FoxgloveProblem("Unknown channel \(entry.channel)")
        }
        let place = Int(entry.channel) - 1
        guard client.subscriptions[place] == nil else {
            throw FoxgloveProblem("Channel \(entry.channel) is subscribed to already; ignored", level: 1)
        }
        clients[number]?.subscriptions[place] = entry.id
        clients[number]?.missing.insert(place)
        return place
    }

    /// Answers the first mistakes of a request, and counts the others.
    func tell(_ problems: [FoxgloveProblem], to number: Int) async {
        for problem in problems.prefix(Self.toldProblems) { await tell(problem, to: number) }
        let rest = problems.count - Self.toldProblems
        if rest > 0 { await tell(FoxgloveProblem("\(rest) further entries were ignored"), to: number) }
    }

    /// Ends subscriptions; unknown ones are passed over, as in the SDK.
    private func unsubscribe(_ ids: [UInt32], from number: Int) async {
        for id in ids {
            guard let client = clients[number] else { return }
            guard let place = client.subscriptions.first(where: { $0.value == id })?.key else { continue }
            clients[number]?.subscriptions[place] = nil
            clients[number]?.missing.remove(place)
            await client.link.outbox.forget(subscription: id)
        }
        await setDemand()
    }

    // MARK: - Playback

    /// The slowest and fastest rates, as the SDK's player has them.
    static let rates = 0.01...100.0

    private func handle(_ bytes: [UInt8], from number: Int) async throws(FoxgloveProblem) {
        guard let opcode = bytes.first else { return }
        guard opcode == 0x03 else { throw FoxgloveProblem("Invalid message: unknown opcode \(opcode)") }
        let request = try FoxglovePlaybackRequest(bytes.dropFirst())
        guard let control else { throw FoxgloveProblem("Server does not support playbackControl capability") }
        if !waitsForArrival(request, from: number) { await carryOut(request, from: number, control) }
    }

    private func carryOut(
        _ request: FoxglovePlaybackRequest,
        from number: Int,
        _ control: PlaybackControl
    ) async {
        requestsUnderWay += 1
        let isPaused = await control.isPaused
        let isSought = request.seekNanoseconds != nil
        let what = isSought ? "sought" : isPaused != request.plays ? "speed" : request.plays ? "playing" : "paused"
        steering = (number, what)
        var didSeek = false
        if let place = request.seekNanoseconds { didSeek = await seek(to: place, control) }
        await setRate(request.speed, control)
        await control.apply(request.plays ? .resume : .pause)
        await tell(didSeek: didSeek, requestID: request.requestID, from: number)
        await endRequest()
    }

    /// True if a request waits until the place of the seek before it is shown; the newest of those that wait counts.
    ///
    /// Others would see nothing while one client drags the bar.
    func waitsForArrival(_ request: FoxglovePlaybackRequest, from number: Int) -> Bool {
        guard arrival != nil, request.seekNanoseconds != nil || waitingSeek != nil else { return false }
        var request = request
        request.seekNanoseconds = request.seekNanoseconds ?? waitingSeek?.request.seekNanoseconds
        waitingSeek = (request, number)
        return true
    }

    /// How long the first message of a place is waited for.
    private static let arrivalPatience = Duration.milliseconds(500)

    private func awaitArrival(_ control: PlaybackControl) async {
        let deadline = ContinuousClock.now + Self.arrivalPatience
        repeat {
            try? await Task.sleep(for: .milliseconds(20))
        } while await control.isArriving && .now < deadline && !isFinishing && !Task.isCancelled
        arrival = nil
        guard let (request, number) = waitingSeek else { return }
        waitingSeek = nil
        await carryOut(request, from: number, control)
    }

    /// Ends a request; changes that others made meanwhile are told now.
    func endRequest() async {
        requestsUnderWay -= 1
        await noteCondition()
    }

    /// - Returns: True if the player goes there.
    func seek(to place: Int64, _ control: PlaybackControl) async -> Bool {
        guard let span = options.span else { return false }
        let place = min(max(place, span.lowerBound), span.upperBound)
        let before = currentTime
        awaitedPlace = place
        await leavePlace(to: place)
        let isDone = await control.apply(.seek(.date(nanoseconds: place))) == nil
        if !isDone { (awaitedPlace, currentTime) = (nil, before) }
        if isDone, arrival == nil { arrival = Task { await self.awaitArrival(control) } }
        return isDone
    }

    func setRate(_ speed: Double, _ control: PlaybackControl) async {
        let speed = speed.isNaN ? Self.rates.lowerBound : speed
        await control.apply(.rate(min(max(speed, Self.rates.lowerBound), Self.rates.upperBound)))
    }

    /// Tells all clients how the player stands.
    ///
    /// - Parameter asker: The client that has asked for it.
    func tell(didSeek: Bool, requestID: String = "", from asker: Int? = nil) async {
        guard var state = await playbackState else { return }
        toldState = state
        state.didSeek = didSeek
        state.requestID = requestID
        for number in clients.keys.sorted() {
            await clients[number]?.link.outbox.offer(FoxgloveQueue.Item(.state(state), isNews: number != asker))
        }
        await updateParameters()
    }

    func updateParameters() async {
        for number in clients.keys.sorted() {
            guard let names = clients[number]?.parameters, !names.isEmpty else { continue }
            await sendParameters(names, id: nil, to: number)
        }
    }

    /// How the player stands; `nil` where clients may not steer it.
    var playbackState: FoxglovePlaybackState? {
        get async {
            guard let condition = await control?.condition else { return nil }
            return FoxglovePlaybackState(
                status: condition.isEnded ? .ended : condition.isPaused ? .paused : .playing,
                timeNanoseconds: currentTime,
                speed: condition.rate ?? Self.rates.upperBound
            )
        }
    }

    /// Tells of a change that no client has asked for.
    func noteCondition() async {
        guard let state = await playbackState, requestsUnderWay == 0 else { return }
        // Where it begins is what clients take for granted.
        if toldState == nil, state.status == .paused { return }
        if isNew(state) { await tell(didSeek: false) }
    }

    /// Pauses the player when the last client has left.
    func pauseUnseen() async {
        guard let condition = await control?.condition, !condition.isPaused, clients.isEmpty, !isFinishing else {
            return
        }
        await control?.apply(.pause)
        note("paused, as nobody looks any more")
    }

    func isNew(_ state: FoxglovePlaybackState) -> Bool {
        toldState?.status != state.status || toldState?.speed != state.speed
    }
}
