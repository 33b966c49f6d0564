import Recording
import Sessions
import TestSupport
import Testing

@Suite struct CompassTrackTests {
    /// A camera that is turned to the left from -z by an angle about the vertical, and looks up by another.
    private func pose(left: Double, up: Double = 0) -> Transform {
        let turn = Quaternion(angleRadians: left * .pi / 180, axis: Vector3(0, 1, 0))
        let tilt = Quaternion(angleRadians: up * .pi / 180, axis: Vector3(1, 0, 0))
        return Transform(rotation: turn * tilt, translation: .zero)
    }

    private func sample(_ degrees: Double?, accuracy: Double? = 5) -> HeadingSample {
        var sample = HeadingSample(time: Timestamp(nanoseconds: 0))
        sample.trueDegrees = degrees
        sample.accuracyDegrees = accuracy
        return sample
    }

    /// The compass turns with the camera; the world's -z stays where it is.
    @Test(arguments: [0.0, 90, 200, 359.5])
    func whereverTheCameraLooks(heading: Double) throws {
        var track = CompassTrack()
        for left in stride(from: -170.0, through: 180, by: 35) {
            for up in [-50.0, 0, 60] {
                track.add(
                    sample((heading - left + 720).truncatingRemainder(dividingBy: 360)),
                    worldFromCamera: pose(left: left, up: up)
                )
            }
        }
        let found = try #require(track.observation)
        let turn = abs(found.headingDegrees - heading)
        #expect(min(turn, 360 - turn) < 1e-6 && abs(found.sigmaDegrees - 5) < 1e-9)
    }

    @Test func theMeanGoesAcrossNorth() throws {
        var track = CompassTrack()
        for degrees in [350.0, 10, 358, 2] { track.add(sample(degrees), worldFromCamera: pose(left: 0)) }
        let found = try #require(track.observation)
        #expect(min(found.headingDegrees, 360 - found.headingDegrees) < 1e-9)
        // The scatter of the samples is more than they claim: root mean square of 10, 10, 2 and 2 degrees.
        #expect(abs(found.sigmaDegrees - 7.2) < 0.1)
    }

    @Test func accurateSamplesCountMore() throws {
        var track = CompassTrack()
        track.add(sample(100, accuracy: 2), worldFromCamera: pose(left: 0))
        track.add(sample(120, accuracy: 20), worldFromCamera: pose(left: 0))
        // By weights of 1/4 and 1/400.
        #expect(abs(try #require(track.observation).headingDegrees - (100 + 20.0 / 101)) < 0.1)
    }

    @Test func whatTellsNothingIsLeftOut() {
        var track = CompassTrack()
        track.add(sample(nil), worldFromCamera: pose(left: 0))
        track.add(sample(50), worldFromCamera: pose(left: 0, up: 85))
        #expect(track.observation == nil && track.count == 0)
        for degrees in [0.0, 90, 180, 270] { track.add(sample(degrees), worldFromCamera: pose(left: 0)) }
        #expect(track.observation == nil && track.count == 4)
    }
}
