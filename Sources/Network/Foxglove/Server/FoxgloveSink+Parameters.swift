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
        static let all: Set = [playing, speed, time, loop]
    }

    /// No name stands for all.
    static func parameters(named names: [String]) -> Set<String> {
        names.isEmpty ? Name.all : Name.all.intersection(names)
    }

    /// - Parameter names: None for all.
    func sendParameters(_ names: Set<String>, id: String?, to number: Int) async {
        guard let control, let span = options.span else { return }
        let condition = await control.condition
        let all: [(name: String, value: JSONValue)] = [
            (Name.playing, .bool(!condition.isPaused)),
            (Name.speed, .number(condition.rate ?? Self.rates.upperBound)),
            (Name.time, .number(Double(currentTime &- span.lowerBound) / 1e9)),
            (Name.loop, .bool(condition.isLooping)),
        ]
        let asked = names.isEmpty ? all : all.filter { names.contains($0.name) }
        let text = FoxgloveText.parameters(asked, id: id)
        await clients[number]?.link.outbox.offer(FoxgloveQueue.Item(.text(text), isNews: id == nil))
    }

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
        guard let control, let span = options.span else { return false }
        switch (parameter.name, parameter.value.bool, parameter.value.number) {
        case (Name.playing, let plays?, _): await control.apply(plays ? .resume : .pause)
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
