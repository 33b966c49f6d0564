import Platform
import Recording

/// Depth of a frame with the brightness of its image on the same grid, as comparisons of views use it.
struct ExaminedView: Sendable {
    var view: DepthView
    /// Brightness, 0 to 255, of each pixel of the depth grid; `nil` without an image.
    var brightness: [Float]?

    /// Loads the depth, and the image if it is wanted; `nil` without depth.
    ///
    /// Problems of the files themselves are counted elsewhere.
    init?(_ frame: FrameReference, _ loader: any PayloadLoader, image wantsImage: Bool) {
        var counted = Diagnostics()
        guard let depth = loader.depth(of: frame, &counted) else { return nil }
        view = DepthView(depth: depth, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
        if wantsImage { brightness = Self.brightness(frame, depth.size, loader) }
    }

    /// The brightness of a frame's image on a grid over the same view.
    static func brightness(_ frame: FrameReference, _ grid: GridSize, _ loader: any PayloadLoader) -> [Float]? {
        var counted = Diagnostics()
        // A picture of a video would be decoded from the video's start.
        guard frame.hasImage, frame.videoRow == nil, grid.width > 1, grid.height > 1,
            let image = loader.image(of: frame, &counted),
            let decoded = loader.decode(image, of: frame, fullSize: false, &counted)
        else { return nil }
        return GrayImage(decoded.inSensorGrid(image.orientation, size: grid)).pixels.map { Float($0) }
    }

    /// True if there is anything to tell places apart by: a plane before the camera fits under most readings.
    var hasRelief: Bool {
        let metres = view.depth.metres
        let step = max(1, metres.count / 1024)
        let valid = stride(from: 0, to: metres.count, by: step).map { metres[$0] }.filter { $0 > 0 && $0.isFinite }
            .sorted()
        guard valid.count >= 20 else { return false }
        let (low, middle, high) = (valid[valid.count / 20], valid[valid.count / 2], valid[valid.count * 19 / 20])
        return high - low > 0.02 * middle
    }
}

/// Views that differ: of what is seen again and again from one place, by a phone that stands still or a recording that repeats
/// its pictures, one view is a witness.
struct Witnesses {
    // A hand moves more between two frames, a phone on a stand less.
    private static let metres = 0.004
    private static let degrees = 0.25
    private var poses: [[Transform]] = []

    /// True for poses of which none, in their order, was there before.
    mutating func isNew(_ worldFromCamera: Transform...) -> Bool {
        let isKnown = poses.contains { known in
            zip(known, worldFromCamera).allSatisfy { one, other in
                (one.translation - other.translation).length < Self.metres
                    && (one.rotation.inverse * other.rotation).angleRadians * 180 / .pi < Self.degrees
            }
        }
        if !isKnown { poses.append(worldFromCamera) }
        return !isKnown
    }
}

/// How well one view explains another: every pixel of the first is put into the second by depth and poses.
struct ViewAgreement {
    /// The mean difference of depth, as a share of it; at most ``mostShare``, which pixels out of view are not counted for.
    var depthShare: Double
    /// The mean difference of brightness, 0 to 255, apart from the median one (exposure); `nil` without images.
    var brightness: Double?

    /// A larger difference of depth is another surface, however large it is.
    private static let mostShare: Float = 0.15
    private static let mostBrightness: Float = 40
    /// About so many columns of the first grid are tried.
    private static let columns = 64
    /// Fewer pixels in the common view than this say nothing.
    private static let fewest = 100
    /// Phones measure no farther; farther values are guesses.
    private static let range: ClosedRange<Float> = 0.1...5

    /// - Returns: `nil` where the views have too little in common.
    init?(_ first: ExaminedView, _ second: ExaminedView, _ reading: PairReading) {
        let depth = first.view.depth
        let step = max(1, depth.width / Self.columns)
        let from = Pinhole(first.view, reading)
        let to = Pinhole(second.view, reading)
        let (m, t) = (Matrix3(reading.secondFromFirst.rotation), reading.secondFromFirst.translation)
        let rows = (SIMD3<Float>(m.row(0)), SIMD3<Float>(m.row(1)), SIMD3<Float>(m.row(2)))
        let shift = SIMD3<Float>(t)
        var shares: (sum: Double, count: Int) = (0, 0)
        var differences: [Float] = []
        for row in stride(from: step / 2, to: depth.height, by: step) {
            for column in stride(from: step / 2, to: depth.width, by: step) {
                let metres = depth.metres[reading.turn.index(column, row, depth.width, depth.height)]
                guard Self.range.contains(metres) else { continue }
                let point = from.point(Float(column), Float(row), metres)
                let moved = SIMD3((rows.0 * point).sum(), (rows.1 * point).sum(), (rows.2 * point).sum()) + shift
                guard let pixel = to.pixel(moved) else { continue }
                let found = second.view.depth.metres[
                    reading.turn.index(pixel.column, pixel.row, to.width, to.height)
                ]
                if found > Self.range.lowerBound, found.isFinite {
                    shares.sum += Double(min(abs(-moved.z - found) / metres, Self.mostShare))
                    shares.count += 1
                }
                if let one = first.brightness, let other = second.brightness {
                    let (at, was) = (
                        reading.imageTurn.index(pixel.column, pixel.row, to.width, to.height),
                        reading.imageTurn.index(column, row, depth.width, depth.height)
                    )
                    differences.append(other[at] - one[was])
                }
            }
        }
        guard shares.count >= Self.fewest else { return nil }
        depthShare = shares.sum / Double(shares.count)
        guard differences.count >= Self.fewest else { return }
        let exposure = differences.median() ?? 0
        let sum = differences.reduce(0.0) { $0 + Double(min(abs($1 - exposure), Self.mostBrightness)) }
        brightness = sum / Double(differences.count)
    }
}

/// The camera of a depth grid, in single precision.
private struct Pinhole {
    let width: Int
    let height: Int
    private let focal: SIMD2<Float>
    private let centre: SIMD2<Float>

    init(_ view: DepthView, _ reading: PairReading) {
        (width, height) = (view.depth.width, view.depth.height)
        let k = view.intrinsics.scaled(toWidth: width, height: height)
        focal = SIMD2(Float(k.fx * reading.focalFactor), Float(k.fy * reading.focalFactor))
        centre = SIMD2(Float(k.cx), Float(k.cy))
    }

    /// Camera axes: x right, y up, z backward.
    func point(_ column: Float, _ row: Float, _ metres: Float) -> SIMD3<Float> {
        let offset = (SIMD2(column, row) - centre) / focal * metres
        return SIMD3(offset.x, -offset.y, -metres)
    }

    /// The nearest pixel; `nil` out of view.
    func pixel(_ point: SIMD3<Float>) -> (column: Int, row: Int)? {
        guard point.z < -0.05 else { return nil }
        let place = (centre + SIMD2(point.x, -point.y) * focal / -point.z).rounded(.toNearestOrEven)
        guard place.x >= 0, place.y >= 0, place.x < Float(width), place.y < Float(height) else { return nil }
        return (Int(place.x), Int(place.y))
    }
}

extension Matrix3 {
    fileprivate func row(_ index: Int) -> Vector3 {
        let columns = [c0, c1, c2].map { [$0.x, $0.y, $0.z][index] }
        return Vector3(columns[0], columns[1], columns[2])
    }
}

extension SIMD3<Float> {
    fileprivate init(_ vector: Vector3) { self.init(Float(vector.x), Float(vector.y), Float(vector.z)) }
}
