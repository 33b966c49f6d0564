import Exports
import Recording
import Testing

/// The self-test of exports: right numbers pass, each of the classical mistakes does not.
@Suite struct ReprojectionTests {
    @Test(arguments: [1, 2, 3, 6, 17, 600])
    func pairsLieInsideAndDiffer(count: Int) {
        let pairs = ReprojectionCheck.pairs(count: count)
        #expect(!pairs.isEmpty && pairs.count <= ReprojectionCheck.pairLimit)
        for (first, second) in pairs {
            #expect((1...count).contains(first) && (1...count).contains(second))
            #expect(count == 1 || first < second)
        }
        #expect(Set(pairs.map(\.0)).count == pairs.count)
    }

    @Test func nothingHasNoPairs() { #expect(ReprojectionCheck.pairs(count: 0).isEmpty) }

    private static let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1447, fy: 1452, cx: 963.9, cy: 716.6)

    /// ARKit's camera seen as an optical one: x right, y down, z forward.
    private static let cameraFromOptical = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))

    private static func frame(_ number: Int) -> FrameReference {
        let angle = 0.05 * Double(number)
        let pose = Transform(
            rotation: Quaternion(angleRadians: angle, axis: Vector3(0, 1, 0)),
            translation: Vector3(0.1 * Double(number), 0.02 * Double(number), -0.04 * Double(number))
        )
        return FrameReference(
            index: number,
            line: number + 1,
            time: Timestamp(nanoseconds: Int64(number) * 33_000_000),
            worldFromCamera: pose,
            intrinsics: camera,
            tracking: .normal
        )
    }

    /// The median of pairs of views whose exported numbers are those of the recording, changed by `mistake`.
    private func pixels(_ mistake: (inout ReadView) -> Void) -> Double {
        var check = ReprojectionCheck(limits: PointLimits())
        let views = (0..<6).map { number -> ReprojectionCheck.View in
            let frame = Self.frame(number)
            var read = ReadView(
                worldFromOptical: frame.worldFromCamera * Self.cameraFromOptical,
                intrinsics: Self.camera
            )
            mistake(&read)
            return ReprojectionCheck.View(
                frame: frame,
                orientation: .landscapeRight,
                recorded: Self.camera,
                depth: nil,
                read: read
            )
        }
        for first in 0..<5 { check.add(views[first], views[first + 1]) }
        #expect(check.report.pointCount > 100)
        return check.report.medianPixels ?? .nan
    }

    @Test func whatWasRecordedPasses() {
        #expect(pixels { _ in } < 1e-9)
        // In any world.
        let turn = Transform(
            rotation: Quaternion(angleRadians: 1, axis: Vector3(0, 0, 1)),
            translation: Vector3(5, -7, 2)
        )
        #expect(pixels { $0.worldFromOptical = turn * $0.worldFromOptical } < 1e-9)
    }

    @Test func mistakesShow() {
        // The camera's own axes, the pose the wrong way round, and a quarter turn.
        #expect(pixels { $0.worldFromOptical = $0.worldFromOptical * Self.cameraFromOptical } > 100)
        #expect(pixels { $0.worldFromOptical = $0.worldFromOptical.inverse } > 2)
        let quarter = Transform(rotation: Quaternion(angleRadians: .pi / 2, axis: Vector3(0, 0, 1)))
        #expect(pixels { $0.worldFromOptical = $0.worldFromOptical * quarter } > 2)
        // w first instead of last.
        #expect(
            pixels {
                let q = $0.worldFromOptical.rotation
                $0.worldFromOptical.rotation = Quaternion(x: q.w, y: q.x, z: q.y, w: q.z)
            } > 2
        )
        // The principal point of a turned image, centimetres for metres, and half the size.
        #expect(
            pixels { read in
                read.intrinsics?.cx = Self.camera.cy
                read.intrinsics?.cy = Self.camera.cx
            } > 2
        )
        #expect(pixels { $0.worldFromOptical.translation *= 100 } > 100)
        #expect(pixels { $0.intrinsics = Self.camera.scaled(toWidth: 960, height: 720) } > 100)
    }

    /// Half a pixel, as between the two conventions, is below the limit and still seen.
    @Test func halfAPixelIsMeasured() {
        let half = pixels { $0.intrinsics?.fx *= 1.01 }
        #expect(half > 0.1)
    }
}
