import Recording
import Sessions

/// One frame of a session with its payloads in memory.
struct FrameInput {
    var reference: FrameReference
    var depth: DepthMap
    var jpeg: StoredImage

    /// From camera axes to a map with z up: (x, -z, y) of the world.
    var mapFromCamera: Transform {
        let halfTurn = 0.5.squareRoot()
        let mapFromWorld = Transform(rotation: Quaternion(x: halfTurn, y: 0, z: 0, w: halfTurn))
        return mapFromWorld * reference.worldFromCamera
    }
}

/// All frames of a session that have an image and depth.
func loadFrames(_ path: String) throws -> [FrameInput] {
    let session = try SessionFormats.open(path: path)
    let loader = session.makeLoader()
    var diagnostics = Diagnostics()
    let cursor = try session.records(RecordRequest(streams: [.frames]))
    var frames: [FrameInput] = []
    while let record = try cursor.next() {
        guard case .frame(let reference) = record,
            let depth = loader.depth(of: reference, &diagnostics),
            let jpeg = loader.image(of: reference, &diagnostics)
        else { continue }
        frames.append(FrameInput(reference: reference, depth: depth, jpeg: jpeg))
    }
    guard !frames.isEmpty else { throw BenchError("\(path): expected frames with image and depth, found none") }
    return frames
}
