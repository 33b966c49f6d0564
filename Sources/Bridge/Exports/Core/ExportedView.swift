package import Recording
import Replay
import Sessions

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
