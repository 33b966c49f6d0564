import Playback
import Rosbridge
import Text

// The player as parameters, which steer it from clients that have no play bar.
extension FoxgloveSink {
    private enum Name {
        static let playing = "/mapeverything/player.playing"
        static let speed = "/mapeverything/player.speed"
        static let time = "/mapeverything/player.time"
        static let loop = "/mapeverything/player.loop"
        static let recording = "/mapeverything/recording"
        static let viewers = "/mapeverything/viewers"
        static let scene = "/mapeverything/scene"
        /// What every client gets; the list of viewers and the whole scene go to clients that ask for them by name.
        static let all: Set = [playing, speed, time, loop, recording]
    }

    /// No name stands for all.
    static func parameters(named names: [String]) -> Set<String> {
        names.isEmpty ? Name.all : Name.all.union([Name.viewers, Name.scene]).intersection(names)
    }

    /// - Parameter names: None for all.
    func sendParameters(_ names: Set<String>, id: String?, to number: Int) async {
        var all: [(name: String, value: JSONValue)] = []
        if let control, let span = options.span {
            let condition = await control.condition
            all = [
                (Name.playing, .bool(!condition.isPaused)),
                (Name.speed, .number(condition.rate ?? Self.rates.upperBound)),
                (Name.time, .number(Double(currentTime &- span.lowerBound) / 1e9)),
                (Name.loop, .bool(condition.isLooping)),
            ]
        }
        let isAskedFor = { (name: String) in names.isEmpty || names.contains(name) }
        if let recording = options.recording, isAskedFor(Name.recording) {
            all.append((Name.recording, await recording()))
        }
        if names.contains(Name.viewers) { all.append((Name.viewers, viewers(as: number))) }
        let asked = all.filter { isAskedFor($0.name) }
        let text = FoxgloveText.parameters(asked, id: id)
        await clients[number]?.link.outbox.offer(FoxgloveQueue.Item(.text(text), isNews: id == nil))
    }

    /// The clients, and which of them steered the player last, as the client of a number gets it.
    private func viewers(as number: Int) -> JSONValue {
        let all = clients.sorted { $0.key < $1.key }.map { number, client in
            JSONValue.object([("number", .integer(number)), ("address", .string(client.link.name))])
        }
        let last = steering.map { JSONValue.object([("number", .integer($0.client)), ("what", .string($0.what))]) }
        return .object([("you", .integer(number)), ("all", .array(all)), ("steered", last ?? .null)])
    }

    /// Sends a client at once the parameters that change seldom.
    func greet(_ number: Int, with names: [String]) async {
        let rare = Set(names).intersection([Name.viewers, Name.recording])
        if !rare.isEmpty { await sendParameters(rare, id: nil, to: number) }
        guard names.contains(Name.scene), let make = options.scene else { return }
        await send(sceneTexts.shown, to: number)
        await send(sceneTexts.problem, to: number)
        if sceneTask == nil, !isFinishing { sceneTask = Task { await self.makeScene(make) } }
    }

    /// Makes the whole scene for the page; a failure is told, and ends nothing else.
    private func makeScene(
        _ make: (@escaping @Sendable (JSONValue) async -> Void) async throws -> Void
    ) async {
        do {
            try await make { scene in await self.show(scene: Self.sceneText(scene)) }
        } catch {
            guard !isFinishing else { return }
            options.notice("the page shows less than the whole scene: \(error)")
            sceneTexts.problem = Self.sceneText(.object([("problem", .string("\(error)"))]))
            for number in clients.keys.sorted() { await send(sceneTexts.problem, to: number) }
        }
    }

    private static func sceneText(_ value: JSONValue) -> [UInt8] {
        FoxgloveText.parameters([(Name.scene, value)], id: nil)
    }

    private func show(scene text: [UInt8]) async {
        sceneTexts.shown = text
        for number in clients.keys.sorted() { await send(text, to: number) }
    }

    private func send(_ text: [UInt8]?, to number: Int) async {
        guard let text, let client = clients[number], client.parameters.contains(Name.scene) else { return }
        await client.link.outbox.offer(FoxgloveQueue.Item(.text(text)))
    }

    /// Sends the list of viewers to its subscribers when a client came or left.
    func updateViewers() async { await update(Name.viewers) }

    /// Sends the state of the recording to its subscribers, twice a second.
    func followRecording() async {
        while !Task.isCancelled, (try? await Task.sleep(for: .milliseconds(500))) != nil { await updateRecording() }
    }

    func updateRecording() async { if options.recording != nil { await update(Name.recording) } }

    private func update(_ name: String) async {
        for number in clients.keys.sorted() where clients[number]?.parameters.contains(name) == true {
            await sendParameters([name], id: nil, to: number)
        }
    }

    /// True if a client is connected.
    package var isWatched: Bool { !clients.isEmpty }

    func set(_ parameters: [FoxgloveRequest.Parameter], from number: Int) async {
        requestsUnderWay += 1
        var problems: [FoxgloveProblem] = []
        var didSeek = false
        for parameter in parameters {
            do throws(FoxgloveProblem) {
                if try await set(parameter, from: number) { didSeek = true }
            } catch {
                problems.append(error)
            }
        }
        await tell(problems, to: number)
        if let state = await playbackState, problems.count < parameters.count {
            if didSeek || isNew(state) { await tell(didSeek: didSeek, from: number) } else { await updateParameters() }
        }
        await endRequest()
    }

    /// - Returns: True if the player goes to another place.
    private func set(
        _ parameter: FoxgloveRequest.Parameter,
        from number: Int
    ) async throws(FoxgloveProblem) -> Bool {
        guard let control, let span = options.span else {
            throw FoxgloveProblem(
                "\(parameter.name.prefix(100)): nothing can be set while it is being recorded",
                level: 1
            )
        }
        switch (parameter.name, parameter.value.bool, parameter.value.number) {
        case (Name.playing, let plays?, _):
            steering = (number, plays ? "playing" : "paused")
            await control.apply(plays ? .resume : .pause)
        case (Name.loop, let loops?, _): await control.apply(.loop(loops))
        case (Name.speed, _, let speed?): await setRate(speed, control)
        case (Name.time, _, let seconds?):
            let offset = Int64(exactly: (min(max(seconds, 0), 1e9) * 1e9).rounded()) ?? 0
            let place = span.lowerBound &+ offset
            let condition = await control.condition
            let request = FoxglovePlaybackRequest(
                plays: !condition.isPaused,
                speed: condition.rate ?? Self.rates.upperBound,
                seekNanoseconds: place
            )
            return waitsForArrival(request, from: number) ? false : await seek(to: place, control)
        default:
            let text = "\(parameter.name.prefix(100)): expected a parameter of this server with a value of its type"
            throw FoxgloveProblem(text, level: 1)
        }
        return false
    }
}
