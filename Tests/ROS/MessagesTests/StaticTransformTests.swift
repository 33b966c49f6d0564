import Messages
import Testing

@Suite("Static transforms of a latched topic")
struct StaticTransformTests {
    private func message(_ children: [String], x: Double = 0) -> TFMessage {
        TFMessage(
            transforms: children.map { child in
                var transform = TransformStamped()
                transform.header.frameID = "base"
                transform.childFrameID = child
                transform.transform.translation.x = x
                return transform
            }
        )
    }

    @Test("each child frame's newest transform is kept, in the order of their first messages")
    func sums() throws {
        var all = StaticTransforms()
        let first = try #require(all.add(message(["a", "b"], x: 1)) as? TFMessage)
        #expect(first.transforms.map(\.childFrameID) == ["a", "b"])
        let second = try #require(all.add(message(["c", "a"], x: 2)) as? TFMessage)
        #expect(second.transforms.map(\.childFrameID) == ["a", "b", "c"])
        #expect(second.transforms.map(\.transform.translation.x) == [2, 1, 2])
        #expect(!all.isCovered(by: message(["a", "c"])) && all.isCovered(by: message(["c", "b", "a", "d"])))
        // A message that says all stays as it is.
        let whole = try #require(all.add(message(["c", "b", "a"], x: 3)) as? TFMessage)
        #expect(whole.transforms.map(\.childFrameID) == ["c", "b", "a"])
    }

    @Test("other messages pass, and cover what there is")
    func others() throws {
        var all = StaticTransforms()
        _ = all.add(message(["a"]))
        #expect((all.add(StringMessage(data: "x")) as? StringMessage)?.data == "x")
        #expect(all.isCovered(by: StringMessage(data: "x")) && !all.isCovered(by: message([])))
    }

    @Test("frames without end are forgotten, the oldest first")
    func bound() throws {
        var all = StaticTransforms()
        for number in 0..<10_010 { _ = all.add(message(["\(number)"])) }
        let sum = try #require(all.add(message(["10009"])) as? TFMessage)
        #expect(sum.transforms.count == 10_000 && sum.transforms.first?.childFrameID == "10")
    }
}
