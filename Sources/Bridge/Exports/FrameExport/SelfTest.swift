import Codecs
import Platform
package import Recording
import Sessions

/// The results of reading an export back.
package struct SelfTestReport: Sendable, Hashable {
    /// Points that were taken from one view to another.
    package var pointCount = 0
    package var pairCount = 0
    /// Between where the export shows a point and where the recording does: median, in pixels of the image.
    package var medianPixels: Double?
    /// Between the depth of a point in the other view and what the LiDAR measured there: median, in metres.
    ///
    /// It says how well poses, intrinsics and depth of the recording itself fit.
    package var medianMetres: Double?

    package static let limitPixels = 2.0
}

/// Lifts depth pixels of one view into the world and projects them into another, once with the numbers that were read
/// back from the export and once, by ARKit's own conventions, with those of the recording.
///
/// Both sides share no code but the geometry of rigid motions, so that a wrong sign, order, turn or half pixel shows.
package struct ReprojectionCheck {
    package static let pairLimit = 16
    /// Where a frame has no depth, points are taken to be so far away.
    private static let assumedMetres = 2.0

    private let limits: PointLimits
    private var pixels: [Double] = []
    private var metres: [Double] = []
    private var pairCount = 0

    package init(limits: PointLimits) { self.limits = limits }

    /// The pairs of views to be compared, of so many; neighbours that lie a few frames apart.
    package static func pairs(count: Int) -> [(Int, Int)] {
        guard count > 1 else { return count == 1 ? [(1, 1)] : [] }
        let step = min(5, count - 1)
        let last = count - step
        let number = min(pairLimit, last)
        return (0..<number).map { index in
            let first = 1 + (number == 1 ? 0 : index * (last - 1) / (number - 1))
            return (first, first + step)
        }
    }

    /// One view as it was recorded, and as the export has it.
    package struct View {
        private(set) var frame: FrameReference
        private(set) var orientation: ImageOrientation
        /// The intrinsics of the image as it was written, according to the recording.
        private(set) var recorded: CameraIntrinsics
        private(set) var depth: DepthMap?
        private(set) var read: ReadView

        package init(
            frame: FrameReference,
            orientation: ImageOrientation,
            recorded: CameraIntrinsics,
            depth: DepthMap?,
            read: ReadView
        ) {
            self.frame = frame
            self.orientation = orientation
            self.recorded = recorded
            self.depth = depth
            self.read = read
        }
    }

    package mutating func add(_ first: View, _ second: View) {
        pairCount += 1
        let grid = first.depth?.size ?? first.frame.intrinsics.size
        for (x, y) in Self.points(grid) {
            guard let depth = depth(first.depth, x, y) else { continue }
            let sensor = first.frame.intrinsics.scaled(toWidth: grid.width, height: grid.height)
            // As ARKit has it: x right, y up, z back.
            let inCamera = Vector3(
                (Double(x) - sensor.cx) / sensor.fx * depth,
                -(Double(y) - sensor.cy) / sensor.fy * depth,
                -depth
            )
            let other = second.frame.worldFromCamera.inverse * (first.frame.worldFromCamera * inCamera)
            guard -other.z > 0.05, let recorded = Self.written(Self.onSensor(other, second.frame.intrinsics), second),
                let start = Self.written(Self.onSensor(inCamera, first.frame.intrinsics), first)
            else { continue }
            compare(start, depth, first, second, recorded: recorded, expectedDepth: -other.z)
            measure(other, second)
        }
    }

    /// Compares by the export's numbers, in OpenCV's axes.
    private mutating func compare(
        _ start: (x: Double, y: Double),
        _ depth: Double,
        _ first: View,
        _ second: View,
        recorded: (x: Double, y: Double),
        expectedDepth: Double
    ) {
        let camera = first.read.intrinsics ?? first.recorded
        let ray = Vector3((start.x - camera.cx) / camera.fx * depth, (start.y - camera.cy) / camera.fy * depth, depth)
        let point = second.read.worldFromOptical.inverse * (first.read.worldFromOptical * ray)
        guard point.z > 0 else { return pixels.append(.infinity) }
        let target = second.read.intrinsics ?? second.recorded
        let x = target.cx + target.fx * point.x / point.z - recorded.x
        let y = target.cy + target.fy * point.y / point.z - recorded.y
        let distance = (x * x + y * y).squareRoot()
        // An error that moves a point along its ray shows in the depth alone.
        pixels.append(abs(point.z - expectedDepth) > 0.01 + 0.01 * expectedDepth ? max(distance, 1e3) : distance)
    }

    /// How far the second view's own depth is from that of a point in it.
    private mutating func measure(_ point: Vector3, _ view: View) {
        guard let depth = view.depth else { return }
        let camera = view.frame.intrinsics.scaled(toWidth: depth.width, height: depth.height)
        let (x, y) = Self.onSensor(point, camera)
        guard x > -0.5, y > -0.5, x < Double(depth.width) - 0.5, y < Double(depth.height) - 0.5 else { return }
        guard let there = self.depth(depth, Int(x.rounded()), Int(y.rounded())) else { return }
        metres.append(abs(there + point.z))
    }

    /// Where a point in ARKit's camera axes is seen, in pixels of the sensor's grid.
    private static func onSensor(_ point: Vector3, _ camera: CameraIntrinsics) -> (x: Double, y: Double) {
        (camera.cx + camera.fx * point.x / -point.z, camera.cy - camera.fy * point.y / -point.z)
    }

    /// The same in the image as it was written: turned, cut or of another size; `nil` outside of the sensor.
    private static func written(_ place: (x: Double, y: Double), _ view: View) -> (x: Double, y: Double)? {
        let sensor = view.frame.intrinsics
        let (width, height) = (Double(sensor.width), Double(sensor.height))
        guard place.x > -width, place.y > -height, place.x < 2 * width, place.y < 2 * height else { return nil }
        let turned = view.orientation.storedPoint(
            sensorX: place.x,
            sensorY: place.y,
            sensorWidth: sensor.width,
            sensorHeight: sensor.height
        )
        let whole = view.orientation.storedIntrinsics(sensor)
        let scale = (x: view.recorded.fx / whole.fx, y: view.recorded.fy / whole.fy)
        return (
            view.recorded.cx + (turned.x - whole.cx) * scale.x,
            view.recorded.cy + (turned.y - whole.cy) * scale.y
        )
    }

    /// Eight by eight, spread over a grid.
    private static func points(_ grid: GridSize) -> [(Int, Int)] {
        (0..<8).flatMap { row in
            (0..<8).map { column in ((2 * column + 1) * grid.width / 16, (2 * row + 1) * grid.height / 16) }
        }
    }

    private func depth(_ map: DepthMap?, _ x: Int, _ y: Int) -> Double? {
        guard let map else { return Self.assumedMetres }
        let place = y * map.width + x
        let metres = Double(map.metres[place])
        guard metres > limits.minimumMetres, metres < limits.maximumMetres,
            map.confidence.map({ $0[place] >= limits.minimumConfidence }) ?? true
        else { return nil }
        return metres
    }

    package var report: SelfTestReport {
        SelfTestReport(
            pointCount: pixels.count,
            pairCount: pairCount,
            medianPixels: pixels.median(),
            medianMetres: metres.median()
        )
    }
}

/// Reads every image of an export again, and compares its size with that of its camera.
struct WrittenImages {
    /// The files of a view; empty where it has none.
    struct View {
        let image: String
        let depth: String
        /// The recording's number of it.
        let frame: Int
    }

    /// The size of an image is mostly known from so much of its file.
    private static let headBytes = 1 << 12

    let folder: OutputFolder
    let layout: ViewLayout

    /// - Parameters:
    ///   - files: of the views in their order.
    ///   - views: as a reader of the export gets them, by their numbers from 1.
    /// - Throws: an ``ExportError`` for the first that is wrong, and where there are more files than views, or fewer.
    func check(_ files: [View], _ views: [Int: ReadView]) throws {
        try count(layout.image?.folder, files.count)
        try count(layout.depth?.folder, files.count)
        for (place, file) in files.enumerated() {
            if !file.image.isEmpty {
                let camera = views[place + 1]?.intrinsics
                try compare(file.image, expected: camera.map(\.size), "its camera's")
            }
            guard !file.depth.isEmpty, case .sensor(_, let camera)? = layout.depth?.form else { continue }
            try compare(file.depth, expected: camera.size, "the image's")
        }
    }

    /// Which frame of the recording each file is of, for formats whose readers count files.
    static func table(_ views: [View]) -> String {
        "file,frame\n" + views.map { "\($0.image),\($0.frame)\n" }.joined()
    }

    private func count(_ name: String?, _ expected: Int) throws {
        guard let name else { return }
        let found = try directoryEntries(folder.file(name)).count
        guard found == expected else {
            throw ExportError.selfTestFile(
                name: name,
                expected: "\(expected) files, one for each view",
                found: "\(found)"
            )
        }
    }

    private func compare(_ name: String, expected: GridSize?, _ whose: String) throws {
        let found = try size(name)
        guard found == expected else {
            throw ExportError.selfTestFile(
                name: name,
                expected: "\(whose) size, \(expected.map { "\($0.width)x\($0.height)" } ?? "which is missing")",
                found: "\(found.width)x\(found.height)"
            )
        }
    }

    private func size(_ name: String) throws -> GridSize {
        let path = folder.file(name)
        if let size = try? Self.size(RegularFile.head(of: path, byteCount: Self.headBytes)) { return size }
        return try Self.size(OutputFile.contents(of: path))
    }

    private static func size(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        // A PNG begins with a byte that no JPEG has.
        if bytes.first == 0x89 { return try PNG.inspect(bytes) }
        let info = try JPEG.inspect(bytes)
        return GridSize(width: info.width, height: info.height)
    }
}
