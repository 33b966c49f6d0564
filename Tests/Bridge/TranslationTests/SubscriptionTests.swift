import Messages
import Playback
import Testing
import Translation

/// Topics without a subscriber are not made.
@Suite struct SubscriptionTests {
    @Test("only subscribed topics are prepared, with what is latched; time goes on without any")
    func onlyWanted() async throws {
        let sample = try await Sample(Sample.everything)
        let all = try await Replayed(sample.path)
        let subscribed = SubscribedTopics()
        let none = try await Replayed(sample.path) { $0.playback.subscribed = subscribed }
        #expect(none.names.isSubset(of: Set(all.topics.filter(\.isLatched).map(\.name))), "\(none.names)")
        #expect(none.report.playback.playedSeconds == all.report.playback.playedSeconds)
        await subscribed.set(["/mapping/pose", "/tf"])
        let some = try await Replayed(sample.path) { $0.playback.subscribed = subscribed }
        #expect(some.names == none.names.union(["/mapping/pose", "/tf"]))
        // What is made is what it always was.
        for name in ["/mapping/pose", "/tf"] { #expect(some.stamps(name) == all.stamps(name), "\(name)") }
        await subscribed.set(Set(all.topics.map(\.name)))
        let every = try await Replayed(sample.path) { $0.playback.subscribed = subscribed }
        let (made, expected) = (every, all)
        for name in Set(all.topics.map(\.name)).sorted() {
            let same = made.stamps(name) == expected.stamps(name)
            #expect(same, "\(name)")
        }
    }
}
