package import Maps
package import Platform
package import Recording
import Sessions
import Translation

/// Writes what a format says of the views; images and depth are written by the walk.
///
/// One writer a format. Views come in the order of their numbers, one at a time.
package protocol ExportWriter: AnyObject {
    func add(_ view: ExportedView) throws
    /// Writes what follows the last view.
    ///
    /// - Parameter surface: in the axes of the export's world; empty for formats without points.
    func finish(_ surface: SurfaceMesh) throws
    /// The cameras of some views as a reader of the written files gets them, by number.
    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView]
    /// Puts the files into others, once they are tested.
    func pack() throws
    /// The next commands for a user, and notes; lines of the file README.txt.
    var readme: [String] { get }
}

extension ExportWriter {
    package func pack() throws {}
}

/// The state that all writers of one export share; everything in it is known before the first view.
package final class ExportContext {
    let folder: OutputFolder
    let plan: ExportPlan
    let census: FrameCensus
    let session: any Session
    let span: ClosedRange<Timestamp>
    let anchor: EpochAnchor
    let georeference: Georeference

    init(
        _ folder: OutputFolder,
        _ plan: ExportPlan,
        _ census: FrameCensus,
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        anchor: EpochAnchor,
        georeference: Georeference
    ) {
        self.folder = folder
        self.plan = plan
        self.census = census
        self.session = session
        self.span = span
        self.anchor = anchor
        self.georeference = georeference
    }

    /// The size of images that have to be alike.
    var imageSize: GridSize { plan.sharedSize(census) }

    /// The one camera of formats that have no more, of the sensor's grid at ``imageSize``.
    var sharedCamera: CameraIntrinsics { plan.sharedCamera(census) }

    package func file(_ name: String) throws -> OutputFile { try OutputFile(creating: folder.file(name)) }

    package func write(_ text: String, to name: String) throws { try folder.write(text, to: name) }

    /// The lines of a file that was written, without comments and empty lines.
    func lines(_ name: String) throws -> WrittenLines { try WrittenLines(folder.file(name)) }
}

extension ExportPlan {
    /// The size of images that have to be alike: what is asked for, but never larger than the sensor's.
    func sharedSize(_ census: FrameCensus) -> GridSize {
        let sensor = GridSize(width: census.meanIntrinsics.width, height: census.meanIntrinsics.height)
        guard let imageSize, imageSize.width <= sensor.width, imageSize.height <= sensor.height else { return sensor }
        return imageSize
    }

    /// The camera that all images are brought to, where they have to be alike: the mean of all at one size.
    func sharedCamera(_ census: FrameCensus) -> CameraIntrinsics {
        let size = sharedSize(census)
        return census.meanIntrinsics.scaled(toWidth: size.width, height: size.height)
    }
}

/// Everything that a format says of one frame.
///
/// Image coordinates are those of ``CameraIntrinsics``: whole numbers are centres of pixels. Axes of the view are optical
/// ones (x right, y down, z forward) of the image as it is written.
package struct ExportedView {
    /// Counts from 1 in the order of the files' names.
    package let number: Int
    package let frame: FrameReference
    package let unixNanoseconds: Int64
    /// How the written image is turned against the sensor's grid.
    package let orientation: ImageOrientation
    /// The intrinsics of the written image.
    package let intrinsics: CameraIntrinsics
    package let worldFromOptical: Transform
    /// Relative to the export; empty without one.
    package let imageFile: String
    package let depthFile: String

    /// The optical axes of an image that is turned against the sensor's grid, in an export's world.
    static func worldFromOptical(
        _ worldFromCamera: Transform,
        _ orientation: ImageOrientation,
        _ world: ExportWorld
    ) -> Transform {
        world.fromWorld * worldFromCamera * Coordinates.opticalFromCamera.inverse
            * Coordinates.sensorOpticalFromStoredOptical(orientation)
    }
}

/// One camera of an export, as it is read back from what was written.
package struct ReadView {
    /// OpenCV's axes: x right, y down, z forward.
    package var worldFromOptical: Transform
    /// Whole numbers are centres of pixels; `nil` only in a format without images: the self-test compares the size of each
    /// image with it.
    package var intrinsics: CameraIntrinsics?

    package init(worldFromOptical: Transform, intrinsics: CameraIntrinsics? = nil) {
        self.worldFromOptical = worldFromOptical
        self.intrinsics = intrinsics
    }
}

/// Which depth pixels the self-test takes.
package struct PointLimits: Sendable {
    package var minimumMetres: Double
    package var maximumMetres: Double
    package var minimumConfidence: UInt8

    package init(minimumMetres: Double = 0.1, maximumMetres: Double = 5, minimumConfidence: UInt8 = 1) {
        self.minimumMetres = minimumMetres
        self.maximumMetres = maximumMetres
        self.minimumConfidence = minimumConfidence
    }
}

/// The unit vectors of a rotation as rows of its matrix.
extension Quaternion {
    var rows: [[Double]] {
        let (x, y, z) = columns
        return [[x.x, y.x, z.x], [x.y, y.y, z.y], [x.z, y.z, z.z]]
    }

    /// The same rotation with w above or at 0, so that equal rotations are written alike.
    var canonical: Quaternion { w < 0 ? Quaternion(x: -x, y: -y, z: -z, w: -w) : self }
}

extension Transform {
    /// The upper three rows of the 4x4 matrix.
    var rows: [[Double]] {
        let rows = rotation.rows
        let moved = [translation.x, translation.y, translation.z]
        return (0..<3).map { rows[$0] + [moved[$0]] }
    }

    /// From the upper three rows of a matrix, as they are read from a file.
    init?(rows: [[Double]]) {
        guard rows.count >= 3, rows.prefix(3).allSatisfy({ $0.count == 4 && $0.allSatisfy(\.isFinite) }) else {
            return nil
        }
        let columns = (0..<3).map { Vector3(rows[0][$0], rows[1][$0], rows[2][$0]) }
        self.init(
            rotation: Quaternion(columns: columns[0], columns[1], columns[2]),
            translation: Vector3(rows[0][3], rows[1][3], rows[2][3])
        )
    }
}

/// Numbers as text that reads back as the same numbers.
enum ExportText {
    static func numbers(_ values: [Double], separator: String = " ") -> String {
        values.map { "\($0 == 0 ? 0 : $0)" }.joined(separator: separator)
    }

    /// The numbers of a line, between spaces or commas; `nil` where one is none.
    static func parse(_ line: some StringProtocol) -> [Double]? {
        let fields = line.split { $0 == " " || $0 == "," || $0 == "\r" }.map { Double(String($0)) }
        return fields.contains(nil) ? nil : fields.compactMap { $0 }
    }
}
