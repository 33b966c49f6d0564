import Bags
import HTMLReports
import Messages
import Platform
import Playback
import SystemPackage
import Text

extension Playable {
    /// Makes the whole of what is played for the live page; each call of `show` has all there is by then.
    ///
    /// - Parameter path: Where a bag is read once more.
    @concurrent
    func showScene(of path: String, _ show: @escaping @Sendable (JSONValue) async -> Void) async throws {
        switch self {
        case .session(let setup): try await SessionScene(setup).make(show: show)
        case .bag(let setup, _): try await Self.showScene(of: path, setup, show)
        }
    }

    /// Of a bag its poses, fixes and some of its clouds, in one pass; what there is shows after half a second, after one, and so on.
    private static func showScene(
        of path: String,
        _ setup: BagPlaybackSetup,
        _ show: @escaping @Sendable (JSONValue) async -> Void
    ) async throws {
        let reader = setup.reader
        let topics = reader.topics.indices.filter { index in
            let topic = reader.topics[index]
            return BagReportSink.sceneTypes.contains(topic.typeName) && setup.plan.selection.contains(topic.name)
        }
        guard !topics.isEmpty else { return }
        var plan = setup.plan
        plan.selection = TopicSelection()
        plan.selection.only = topics.map { reader.topics[$0].name }
        plan.skipsUnknown = true
        plan.clockHertz = nil
        plan.playback = PlaybackOptions()
        let bag = try BagPlaybackSetup(opening: FilePath(path), plan: plan)
        let counts = topics.map { (reader.topics[$0].name, reader.heldCount(ofTopic: $0)) }
        let sink = BagReportSink(
            span: setup.span,
            counts: Dictionary(counts, uniquingKeysWith: max),
            isCoarse: true
        )
        let telling = Task {
            var pause = Duration.milliseconds(500)
            while (try? await Task.sleep(for: pause)) != nil {
                await show(await sink.scene)
                pause = pause * 2
            }
        }
        let played = await BagPlaybackRun(bag).run(into: [sink]).playback
        telling.cancel()
        await telling.value
        if let failure = played.failure { throw failure }
        if !played.wasInterrupted { await show(await sink.scene) }
    }
}
