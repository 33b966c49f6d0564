import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Captures of real phones, where they are at hand.
@Suite struct RealSessionTests {
    struct Expected: Sendable, CustomStringConvertible {
        var folder: String
        var frames: Int
        var generation: Int
        var seconds: Double
        var orientations: [String: Int]
        var hasConfidence: Bool
        var largestGap: ClosedRange<Double>

        var description: String { folder }
    }

    static let captures = [
        Expected(
            folder: "logger-chair",
            frames: 24,
            generation: 1,
            seconds: 11.808,
            orientations: ["not rotated": 24],
            hasConfidence: true,
            largestGap: 0.5...0.7
        ),
        Expected(
            folder: "logger-benchy",
            frames: 4,
            generation: 1,
            seconds: 19.486,
            orientations: ["not rotated": 4],
            hasConfidence: true,
            largestGap: 4...12
        ),
        Expected(
            folder: "logger-door-60fps",
            frames: 90,
            generation: 2,
            seconds: 1.5,
            orientations: ["portrait": 90],
            hasConfidence: false,
            largestGap: 0.015...0.04
        ),
        Expected(
            folder: "logger-mixed-orientation",
            frames: 24,
            generation: 2,
            seconds: 11.94,
            orientations: ["landscapeRight": 6, "portrait": 6, "landscapeLeft": 6, "portraitUpsideDown": 6],
            hasConfidence: true,
            largestGap: 0.5...1
        ),
    ]

    @Test(
        .enabled(if: captures.allSatisfy { Captures.have($0.folder) }, Comment(rawValue: Captures.absence)),
        arguments: captures
    )
    func opensWithSaneFigures(_ expected: Expected) throws {
        let path = Captures.root.appending(expected.folder)
        let read = try ReadSession(TemporaryDirectory(), path: path)
        let summary = read.summary
        #expect(summary.frameCount == expected.frames && read.frames.count == expected.frames)
        #expect(summary.generation == expected.generation)
        #expect(abs(summary.durationSeconds - expected.seconds) < 0.01)
        #expect(summary.orientations == expected.orientations)
        #expect(summary.hasImages && summary.hasDepth && summary.hasConfidence == expected.hasConfidence)
        #expect(summary.sensorSize == GridSize(width: 1920, height: 1440))
        #expect(summary.depthSize == GridSize(width: 256, height: 192))
        #expect(expected.largestGap.contains(summary.largestGapSeconds))
        #expect(summary.deviceModel == "unknown" && summary.motionSource == .none)
        #expect(read.session.orphans().isEmpty)
        let loader = read.session.makeLoader()
        var diagnostics = Diagnostics()
        for frame in read.frames.prefix(24) {
            let image = try #require(loader.image(of: frame, &diagnostics))
            #expect(image.orientation == frame.declaredOrientation ?? .landscapeRight)
            let depth = try #require(loader.depth(of: frame, &diagnostics))
            let valid = depth.metres.filter { $0 > 0.1 && $0 < 10 }.count
            #expect(valid > depth.metres.count / 2)
            #expect((depth.confidence != nil) == expected.hasConfidence)
        }
        #expect(diagnostics.isEmpty)
        #expect(read.diagnostics.entries.map(\.kind) == (expected.hasConfidence ? [] : [.noConfidence]))
    }
}
