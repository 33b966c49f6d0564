import Codecs
import Perception
import Recording
import Sessions

/// A frame of an episode with its picture and depth as the videos take them.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
final class EpisodeFrame: Sendable {
    let frame: FrameReference
    /// How many steps it stands for.
    let steps: Int
    let beginsEpisode: Bool
    /// The IMU samples up to it, six numbers each; empty where the data set has none.
    let motion: [Float]
    /// RGB, and ``DepthCodes`` as little-endian samples; empty where the data set has none.
    let picture: [UInt8]
    let depth: [UInt8]
    /// How often each value is in them, by channels.
    let pictureCounts: [[UInt32]]
    let depthCounts: [[UInt32]]
    let camera: CameraIntrinsics
    let depthCamera: CameraIntrinsics
    let depthPixels: DepthPixelCounts
    /// False where its picture or depth cannot be used.
    let isUsable: Bool
    let diagnostics: Diagnostics

    init(
        _ taken: TakenFrame,
        picture: (bytes: [UInt8], counts: [[UInt32]], camera: CameraIntrinsics)?,
        depth: (bytes: [UInt8], counts: [[UInt32]], camera: CameraIntrinsics, pixels: DepthPixelCounts)?,
        isUsable: Bool,
        _ diagnostics: Diagnostics
    ) {
        frame = taken.walked.frame
        (steps, beginsEpisode, motion) = (taken.steps, taken.beginsEpisode, taken.motion)
        (self.picture, pictureCounts) = (picture?.bytes ?? [], picture?.counts ?? [])
        (self.depth, depthCounts) = (depth?.bytes ?? [], depth?.counts ?? [])
        camera = picture?.camera ?? frame.intrinsics
        depthCamera = depth?.camera ?? frame.intrinsics
        depthPixels = depth?.pixels ?? DepthPixelCounts()
        (self.isUsable, self.diagnostics) = (isUsable, diagnostics)
    }
}

/// A frame that stands for steps, on its way to a worker.
struct TakenFrame: Sendable {
    let walked: WalkedFrame
    let steps: Int
    let beginsEpisode: Bool
    let motion: [Float]
}

/// Makes the pictures and depth of frames; one for each worker.
final class EpisodeFramePreparer {
    private let loader: any PayloadLoader
    private let features: LeRobotFeatures
    private let limits: CloudParameters
    private let file: String
    private let sampler = DepthSampler()

    init(_ session: any Session, _ features: LeRobotFeatures, _ limits: CloudParameters) {
        loader = session.makeLoader()
        (self.features, self.limits) = (features, limits)
        file = session.summary.frameFile
    }

    func prepare(_ taken: TakenFrame) -> EpisodeFrame {
        let frame = taken.walked.frame
        var diagnostics = Diagnostics()
        let picture = features.image.flatMap { self.picture(taken.walked, $0, &diagnostics) }
        let isSeen = picture != nil || features.image == nil
        let depth = isSeen ? features.depth.flatMap { self.depth(frame, $0, &diagnostics) } : nil
        return EpisodeFrame(
            taken,
            picture: picture,
            depth: depth,
            isUsable: isSeen && (depth != nil || features.depth == nil),
            diagnostics
        )
    }

    /// The camera of a picture of one size that covers it, in the sensor's grid: scaled, and cut at the longer sides.
    private func camera(_ intrinsics: CameraIntrinsics, covering size: GridSize) -> CameraIntrinsics {
        let scale = max(
            Double(size.width) / Double(intrinsics.width),
            Double(size.height) / Double(intrinsics.height)
        )
        func centre(_ place: Double, _ own: Int, _ side: Int) -> Double {
            (place + 0.5) * scale - 0.5 - (Double(own) * scale - Double(side)) / 2
        }
        return CameraIntrinsics(
            size: size,
            fx: intrinsics.fx * scale,
            fy: intrinsics.fy * scale,
            cx: centre(intrinsics.cx, intrinsics.width, size.width),
            cy: centre(intrinsics.cy, intrinsics.height, size.height)
        )
    }

    private func picture(
        _ walked: WalkedFrame,
        _ size: GridSize,
        _ diagnostics: inout Diagnostics
    ) -> (bytes: [UInt8], counts: [[UInt32]], camera: CameraIntrinsics)? {
        let frame = walked.frame
        guard let stored = loader.image(of: frame, walked.picture, &diagnostics),
            let decoded = loader.decode(stored, of: frame, fullSize: true, &diagnostics)
        else { return nil }
        let camera = camera(frame.intrinsics, covering: size)
        let bytes = decoded.resampled(stored.orientation, from: frame.intrinsics, to: camera).pixels
        // Each eighth pixel of each eighth row says enough.
        var counts = [[UInt32]](repeating: [UInt32](repeating: 0, count: 256), count: 3)
        for row in stride(from: min(4, size.height / 2), to: size.height, by: 8) {
            for column in stride(from: min(4, size.width / 2), to: size.width, by: 8) {
                let place = 3 * (row * size.width + column)
                for channel in 0..<3 { counts[channel][Int(bytes[place + channel])] += 1 }
            }
        }
        return (bytes, counts, camera)
    }

    private func depth(
        _ frame: FrameReference,
        _ size: GridSize,
        _ diagnostics: inout Diagnostics
    ) -> (bytes: [UInt8], counts: [[UInt32]], camera: CameraIntrinsics, pixels: DepthPixelCounts)? {
        guard let map = loader.depth(of: frame, &diagnostics) else { return nil }
        let view = DepthView(depth: map, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
        let samples: DepthSamples
        do throws(CloudError) {
            samples = try sampler.samples(view, image: nil, parameters: limits)
        } catch {
            let expected = "depth that can be encoded"
            diagnostics.record(
                Problem(.emptyDepth, file: file, line: frame.line, expected: expected, found: "\(error)")
            )
            return nil
        }
        // The view of the picture.
        let camera = camera(frame.intrinsics, covering: features.image ?? size)
            .scaled(toWidth: size.width, height: size.height)
        let metres = DepthImage.nearest(samples.metres, of: samples.camera, as: camera, elsewhere: 0)
        let bytes = DepthCodes.samples(metres, count: metres.count)
        var counts = [UInt32](repeating: 0, count: DepthCodes.largest + 1)
        for place in stride(from: 0, to: bytes.count - 1, by: 2) {
            counts[Int(bytes[place]) | Int(bytes[place + 1]) << 8] += 1
        }
        return (bytes, [counts], camera, DepthPixelCounts(map, samples))
    }
}
