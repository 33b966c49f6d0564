import Recording
import Testing

@Suite struct ValueTests {
    @Test func timestampsAreIntegers() {
        let time = Timestamp(nanoseconds: 1_700_000_000_123_456_789)
        #expect(time.advanced(byNanoseconds: 1) > time && time.advanced(byNanoseconds: -1) < time)
        #expect(time.advanced(byNanoseconds: 1).seconds(since: time) == 1e-9)
        #expect(time.seconds(since: time.advanced(byNanoseconds: 2_500_000_000)) == -2.5)
        #expect(Timestamp(nanoseconds: .max).advanced(byNanoseconds: 1).nanoseconds == .max)
        #expect(Timestamp(nanoseconds: .min).advanced(byNanoseconds: -1).nanoseconds == .min)
        #expect(Timestamp(nanoseconds: 1_500_000_000).seconds == 1.5)
    }

    @Test func recordsHaveTheTimeOfWhatTheyHold() {
        let camera = CameraIntrinsics(width: 4, height: 3, fx: 1, fy: 1, cx: 2, cy: 1.5)
        func time(_ value: Int64) -> Timestamp { Timestamp(nanoseconds: value) }
        let frame = FrameReference(
            index: 0,
            line: 1,
            time: time(1),
            worldFromCamera: .identity,
            intrinsics: camera,
            tracking: .normal
        )
        let motion = MotionSample(time: time(2), userAcceleration: .zero, rotationRate: .zero, gravity: .zero)
        let fix = LocationSample(time: time(3), latitudeDegrees: 1, longitudeDegrees: 2)
        let records: [Record] = [.frame(frame), .motion(motion), .location(fix)]
        #expect(records.map(\.time.nanoseconds) == [1, 2, 3])
    }

    @Test func onlyGoodTrackingIsTrusted() {
        let trusted = TrackingState.allCases.filter(\.isNormal)
        #expect(trusted == [.normal, .unknown])
        #expect(GridSize(width: 256, height: 192).count == 49_152)
    }
}
