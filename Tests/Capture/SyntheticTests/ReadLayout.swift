import Recording
import Sessions
import SystemPackage
import Testing

/// A recording as its reader gives it.
struct ReadLayout {
    struct Frame {
        var time: Timestamp
        var worldFromCamera: Transform
        /// Of the sensor's landscape picture.
        var camera: CameraIntrinsics
        var image: StoredImage?
        var pixels: RGBImage?
        var depth: DepthMap?

        /// Where the pixels of the depth grid are in the world, row by row; `nil` where there is no depth.
        ///
        /// Each by the textbook: no part of the product.
        var points: [Vector3?] {
            guard let depth else { return [] }
            let (sx, sy) = (Double(depth.width) / Double(camera.width), Double(depth.height) / Double(camera.height))
            return (0..<depth.width * depth.height).map { place in
                let z = Double(depth.metres[place])
                guard z.isFinite, z > 0 else { return nil }
                let u = (Double(place % depth.width) + 0.5) / sx - 0.5
                let v = (Double(place / depth.width) + 0.5) / sy - 0.5
                let inCamera = Vector3((u - camera.cx) / camera.fx * z, -(v - camera.cy) / camera.fy * z, -z)
                let (x, y, back) = worldFromCamera.rotation.columns
                return inCamera.x * x + inCamera.y * y + inCamera.z * back + worldFromCamera.translation
            }
        }
    }

    var frames: [Frame] = []
    var motion: [MotionSample] = []
    var locations: [LocationSample] = []
    var format = ""
    /// What the reader did not like.
    var problems: [String] = []

    init(_ path: FilePath) throws {
        let session = try SessionFormats.open(path: path.string)
        format = session.summary.format
        var diagnostics = session.diagnostics
        let loader = session.makeLoader()
        let cursor = try session.records(RecordRequest())
        while let record = try cursor.next() {
            switch record {
            case .frame(let reference):
                var frame = Frame(
                    time: reference.time,
                    worldFromCamera: reference.worldFromCamera,
                    camera: reference.intrinsics
                )
                frame.image = loader.image(of: reference, &diagnostics)
                if let image = frame.image {
                    frame.pixels = loader.decode(image, of: reference, fullSize: true, &diagnostics)
                }
                frame.depth = loader.depth(of: reference, &diagnostics)
                frames.append(frame)
            case .motion(let sample): motion.append(sample)
            case .location(let sample): locations.append(sample)
            case .heading, .radio, .indoor: break
            }
        }
        diagnostics.append(cursor.diagnostics)
        problems = diagnostics.entries.map { "\($0)" }
    }

    /// Seconds since the first frame.
    func seconds(_ time: Timestamp) -> Double { time.seconds(since: frames[0].time) }
}
