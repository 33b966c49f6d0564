import Recording
import Sessions
import Testing

@Suite("Key frames")
struct KeyFrameTests {
    private func time(_ seconds: Double) -> Timestamp { Timestamp(nanoseconds: Int64(seconds * 1e9)) }

    private func pose(x: Double = 0, degrees: Double = 0) -> Transform {
        let rotation = Quaternion(angleRadians: degrees * .pi / 180, axis: Vector3(0, 1, 0))
        return Transform(rotation: rotation, translation: Vector3(x, 0, 0))
    }

    @Test("a frame counts after 5 cm, 3 degrees or half a second since the last that did")
    func rule() {
        var rule = KeyFrameRule()
        var taken: [Bool] = []
        for (seconds, x, degrees) in [
            (0.0, 0.0, 0.0), (0.1, 0.04, 0), (0.2, 0.051, 0), (0.3, 0.06, 2.9), (0.4, 0.06, 3.1), (0.5, 0.09, 5),
            (0.8, 0.09, 5), (0.91, 0.09, 5),
        ] {
            taken.append(rule.takes(time(seconds), pose(x: x, degrees: degrees)))
        }
        #expect(taken == [true, false, true, false, true, false, false, true])
        #expect(rule.jumpCount == 0)
    }

    @Test("a frame without a picture waits half a second for one that has one")
    func pictures() {
        var rule = KeyFrameRule()
        // Every third frame has a picture, and each has moved far enough.
        let taken = (0..<9).map {
            rule.takes(time(0.17 * Double($0)), pose(x: 0.1 * Double($0)), lacksPicture: $0 % 3 != 1)
        }
        #expect(taken == [false, true, false, false, true, false, false, true, false])
        // No picture comes any more.
        let late = (0..<5).map { rule.takes(time(2 + 0.2 * Double($0)), pose(x: 5 + Double($0)), lacksPicture: true) }
        #expect(late.filter { $0 }.count == 2)
        rule.takesAll = true
        let isTaken = rule.takes(time(9), pose(x: 20), lacksPicture: true)
        #expect(isTaken)
    }

    @Test("every frame, where that is asked for")
    func all() {
        var rule = KeyFrameRule()
        rule.takesAll = true
        let taken = (0..<5).map { rule.takes(time(Double($0) * 0.01), pose()) }
        #expect(taken == [true, true, true, true, true])
    }

    @Test("a pose that moves faster than anyone walks is reported with its time")
    func jump() {
        var rule = KeyFrameRule()
        for (seconds, x) in [(0.0, 0.0), (0.1, 0.29), (0.2, 0.60), (0.3, 0.60), (0.3, 5), (0.4, 5.1), (0.5, 9)] {
            _ = rule.takes(time(seconds), pose(x: x))
        }
        // Two frames of one time have no speed.
        #expect(rule.jumpCount == 2)
        #expect(rule.firstJump == time(0.2))
    }
}
