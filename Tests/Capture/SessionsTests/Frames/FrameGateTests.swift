import Recording
import Sessions
import TestSupport
import Testing

/// The filter of frames against a second one that is written as plainly as can be, and against the app's own.
@Suite struct FrameGateTests {
    private static func frame(
        _ seconds: Double,
        _ pose: Transform,
        _ tracking: TrackingState = .normal
    )
        -> FrameReference
    {
        FrameReference(
            index: 0,
            line: 1,
            time: Timestamp(nanoseconds: Int64((seconds * 1e9).rounded())),
            worldFromCamera: pose,
            intrinsics: CameraIntrinsics(width: 640, height: 480, fx: 500, fy: 500, cx: 320, cy: 240),
            tracking: tracking
        )
    }

    /// A walk at 30 Hz with steps of any size, frames of lost tracking, and pictures of any sharpness.
    private static func walk(seed: UInt64) -> [FrameReference] {
        var random = SeededRandomNumbers(seed: seed)
        var pose = Transform.identity
        return (0..<600).map { number in
            let speed: Double = [0, 0.1, 0.4].randomElement(using: &random) ?? 0
            pose.translation.x += speed / 30
            let turn = Quaternion(
                angleRadians: Double.random(in: 0...0.03, using: &random),
                axis: Vector3(0, 1, 0)
            )
            pose.rotation = (pose.rotation * turn).normalized
            let jitter = Double.random(in: -0.004...0.004, using: &random)
            let tracking: TrackingState = number % 17 == 3 ? .limitedFeatures : .normal
            var frame = frame(100 + Double(number) / 30 + jitter, pose, tracking)
            frame.sharpness = Double.random(in: 40...400, using: &random)
            return frame
        }
    }

    private static let filters: [FrameRule] = {
        var all: [FrameRule] = []
        for (rate, every) in [(nil, 1), (5.0, 1), (7.0, 3), (nil, 4)] {
            for limits in 0..<3 {
                var filter = FrameRule()
                filter.framesPerSecond = rate
                filter.every = every
                if limits > 0 {
                    filter.minimumSharpness = 80
                    filter.maximumMetresPerSecond = 0.25
                    filter.maximumRadiansPerSecond = 0.6
                }
                if limits > 1 {
                    filter.keyFrames = KeyFrameRule(afterMetres: 0.05, orRadians: 0.1)
                    filter.keepsLimitedTracking = true
                }
                all.append(filter)
            }
        }
        return all
    }()

    /// Which frames are kept, each decided from the whole list.
    private static func naive(_ frames: [FrameReference], _ filter: FrameRule) -> [Int] {
        var chosen: [Int] = []
        var due: Double?
        for place in frames.indices {
            let frame = frames[place]
            let time = Double(frame.time.nanoseconds)
            if frame.tracking != .normal, !filter.keepsLimitedTracking { continue }
            if let least = filter.minimumSharpness, frame.sharpness ?? .infinity < least { continue }
            if place > 0, filter.maximumMetresPerSecond != nil {
                let before = frames[place - 1]
                let seconds = (time - Double(before.time.nanoseconds)) / 1e9
                let way = frame.worldFromCamera.translation - before.worldFromCamera.translation
                let turn = before.worldFromCamera.rotation.inverse * frame.worldFromCamera.rotation
                if way.length / seconds > filter.maximumMetresPerSecond ?? .infinity { continue }
                if turn.angleRadians / seconds > filter.maximumRadiansPerSecond ?? .infinity { continue }
            }
            if let due, time < due { continue }
            if !filter.keyFrames.takesAll, let last = chosen.last {
                let way = frame.worldFromCamera.translation - frames[last].worldFromCamera.translation
                let turn = frames[last].worldFromCamera.rotation.inverse * frame.worldFromCamera.rotation
                if way.length < filter.keyFrames.metres, turn.angleRadians < filter.keyFrames.radians { continue }
            }
            chosen.append(place)
            if let rate = filter.framesPerSecond {
                var next = due ?? time
                while next <= time { next += (1e9 / rate).rounded() }
                due = next
            }
        }
        return chosen.enumerated().filter { $0.offset % filter.every == 0 }.map(\.element)
    }

    @Test(arguments: 0..<12) func twoWaysKeepTheSameFrames(_ number: Int) {
        let filter = Self.filters[number]
        for seed in 1...5 as ClosedRange<UInt64> {
            let frames = Self.walk(seed: seed)
            var gate = FrameGate(filter, nominalIntervalSeconds: 1.0 / 30)
            let kept = frames.indices.filter { place in
                gate.judge(frames[place], sharpness: frames[place].sharpness) == .kept
            }
            #expect(kept == Self.naive(frames, filter))
            #expect(kept.count > 3)
        }
    }

    /// The rules of the app as they are: rate, then 5 cm from the last frame that was kept.
    private static func app(_ frames: [FrameReference]) -> [Int] {
        var kept: [Int] = []
        for place in frames.indices {
            guard let last = kept.last else {
                kept.append(place)
                continue
            }
            let (frame, before) = (frames[place], frames[last])
            if frame.time.seconds(since: before.time) < 0.2 { continue }
            if (frame.worldFromCamera.translation - before.worldFromCamera.translation).length > 0.05 { continue }
            kept.append(place)
        }
        return kept
    }

    /// Two slow seconds, a fast one, seven slow ones: the app keeps nothing of what comes after the fast one.
    @Test func aFastStretchCostsOnlyItself() throws {
        var x = 0.0
        let frames = (0..<600).map { number in
            let seconds = Double(number) / 60
            x += (2..<3 ~= seconds ? 0.6 : 0.1) / 60
            var pose = Transform.identity
            pose.translation.x = x
            return Self.frame(seconds, pose)
        }
        let app = Self.app(frames)
        let lastOfApp = try #require(app.last)
        #expect(frames[lastOfApp].time.seconds < 2.3 && app.count < 13)
        var filter = FrameRule()
        filter.framesPerSecond = 5
        filter.maximumMetresPerSecond = 0.25
        var gate = FrameGate(filter, nominalIntervalSeconds: 1.0 / 60)
        let times = frames.filter { gate.judge($0, sharpness: nil) == .kept }.map(\.time.seconds)
        #expect(times.count >= 44 && times.count <= 46)
        #expect(times.allSatisfy { !(2.01...2.99).contains($0) })
        let slow = times.filter { $0 > 3 }
        #expect(zip(slow, slow.dropFirst()).allSatisfy { $1 - $0 < 0.25 } && (times.last ?? 0) > 9.7)
    }

    @Test func timesThatCannotBeWrittenAreCounted() {
        var rule = FrameRule()
        rule.times = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: .max)
        var gate = FrameGate(rule, nominalIntervalSeconds: nil)
        #expect(gate.judge(Self.frame(-1, .identity), sharpness: nil) == .impossibleTime)
        #expect(gate.judge(Self.frame(0, .identity), sharpness: nil) == .kept)
    }

    /// By hand: one white pixel of the coarse grid of 5 x 5 has -4 times itself there, and itself on four sides.
    @Test func sharpnessIsTheVarianceOfTheLaplacian() throws {
        var image = GrayImage(width: 20, height: 20, pixels: [UInt8](repeating: 0, count: 400))
        #expect(Sharpness.variance(of: image) == 0)
        image.pixels[8 * 20 + 8] = 10
        let variance = try #require(Sharpness.variance(of: image))
        #expect(abs(variance - Double(1600 + 4 * 100) / 25) < 1e-12)
        // What lies between the pixels of the coarse grid is not seen.
        image.pixels[9 * 20 + 9] = 255
        #expect(Sharpness.variance(of: image) == variance)
        #expect(
            Sharpness.variance(of: GrayImage(width: 8, height: 20, pixels: [UInt8](repeating: 0, count: 160))) == nil
        )
    }
}
