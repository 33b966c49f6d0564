import Messages
import Playback
import Testing

/// Large messages that come rarely are no bulk: no newer one makes up for one that is dropped.
@Suite("Lanes of a bag's topics")
struct RareTopicTests {
    @Test("single and rare images count each, others may be dropped by a live replay")
    func lanes() async throws {
        var bag = try TestBag()
        // Of 100 s: one image, one in 11 s, one in 10 s, one a second; poses all the while.
        let images: [(name: String, milliseconds: [Int64])] = [
            ("/single", [500]), ("/rare", stride(from: 0, through: 99_000, by: 11_000).map { $0 }),
            ("/tenth", stride(from: 0, through: 100_000, by: 10_000).map { $0 }),
            ("/often", stride(from: 0, through: 100_000, by: 1000).map { $0 }),
        ]
        bag.add("/pose", PoseStamped.self)
        for image in images { bag.add(image.name, CompressedImage.self) }
        for second in 0...100 as ClosedRange<Int64> { bag.append("/pose", second * 1000, PoseStamped()) }
        for image in images {
            for time in image.milliseconds { bag.append(image.name, time, CompressedImage()) }
        }
        try await bag.write()
        let lanes = Dictionary(uniqueKeysWithValues: try bag.setup().topics.map { ($0.name, $0.delivery) })
        #expect(lanes == ["/pose": .every, "/single": .every, "/rare": .every, "/tenth": .latest, "/often": .latest])
    }
}
