import Recording
import Sessions
import SystemPackage
import Testing

/// A recording as its reader gives it, to its end.
struct ReadRecording {
    struct Frame {
        var reference: FrameReference
        var image: StoredImage?
        var depth: DepthMap?
        var relativeDepth: RelativeDepthMap?
    }

    var frames: [Frame] = []
    var motion: [MotionSample] = []
    var locations: [LocationSample] = []
    var headings: [HeadingSample] = []
    var radio: [RadioSample] = []
    var indoor: [IndoorSample] = []
    var summary: SessionSummary
    var problems: [Diagnostics.Entry]

    init(_ path: FilePath) throws {
        let session = try SessionFormats.open(path: path.string)
        summary = session.summary
        var diagnostics = session.diagnostics
        let loader = session.makeLoader()
        let cursor = try session.records(RecordRequest())
        while let record = try cursor.next() {
            switch record {
            case .frame(let reference):
                var frame = Frame(reference: reference)
                frame.image = loader.image(of: reference, &diagnostics)
                frame.depth = loader.depth(of: reference, &diagnostics)
                frame.relativeDepth = loader.relativeDepth(of: reference, &diagnostics)
                frames.append(frame)
            case .motion(let sample): motion.append(sample)
            case .location(let sample): locations.append(sample)
            case .heading(let sample): headings.append(sample)
            case .radio(let sample): radio.append(sample)
            case .indoor(let sample): indoor.append(sample)
            }
        }
        diagnostics.append(cursor.diagnostics)
        problems = diagnostics.entries
    }

    /// What a trim without a filter has to keep of another recording: everything but the frames' numbers.
    static func expectSame(_ trimmed: Self, _ source: Self, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(trimmed.frames.count == source.frames.count, sourceLocation: sourceLocation)
        for (a, b) in zip(trimmed.frames, source.frames) {
            let (one, other) = (a.reference, b.reference)
            #expect(one.time == other.time, sourceLocation: sourceLocation)
            // Through a matrix and back.
            let moved = one.worldFromCamera.inverse * other.worldFromCamera
            let angle = Vector3(moved.rotation.x, moved.rotation.y, moved.rotation.z).length
            #expect(moved.translation.length < 1e-12 && angle < 1e-12, sourceLocation: sourceLocation)
            #expect(one.intrinsics == other.intrinsics, sourceLocation: sourceLocation)
            #expect(one.tracking == other.tracking && one.sharpness == other.sharpness)
            #expect(a.image?.orientation == b.image?.orientation, sourceLocation: sourceLocation)
            if b.image?.format == .jpeg { #expect(a.image?.bytes == b.image?.bytes, sourceLocation: sourceLocation) }
            #expect(a.depth?.metres.map(\.bitPattern) == b.depth?.metres.map(\.bitPattern))
            #expect(a.depth?.confidence == b.depth?.confidence, sourceLocation: sourceLocation)
            #expect(a.relativeDepth?.values == b.relativeDepth?.values, sourceLocation: sourceLocation)
        }
        #expect(trimmed.motion.map(text) == source.motion.map(text), sourceLocation: sourceLocation)
        #expect(trimmed.locations.map(text) == source.locations.map(text), sourceLocation: sourceLocation)
        #expect(trimmed.headings == source.headings && trimmed.radio == source.radio)
        #expect(trimmed.indoor.map(text) == source.indoor.map(text), sourceLocation: sourceLocation)
    }

    /// All properties of a sample; quaternions are made of unit length again, and so rounded.
    private static func text(_ sample: MotionSample) -> String {
        let attitude = sample.attitude.map { q in
            [q.x, q.y, q.z, q.w].map { (($0 * 1e9).rounded() + 0) / 1e9 }
        }
        return "\(sample.time) \(sample.userAcceleration) \(sample.rotationRate) \(sample.gravity) "
            + "\(attitude.map { "\($0)" } ?? "") \(sample.magneticField.map { "\($0)" } ?? "")"
    }

    private static func text(_ sample: LocationSample) -> String { "\(sample)" }
    private static func text(_ sample: IndoorSample) -> String { "\(sample)" }
}
