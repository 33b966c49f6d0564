import Recording

/// What a keyframes/cameras/N.json of Polycam says: pose and camera of a key frame, and the stretch of unbroken tracking
/// that it is of.
struct PolycamCamera: Sendable {
    private(set) var microseconds: Int?
    /// Poses of two stretches do not share a world; `nil` where the app does not say it.
    private(set) var segment: Int?
    /// World from camera by rows.
    private var rows: [Double] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    /// fx, fy, cx, cy.
    private var pinhole: [Double] = [0, 0, 0, 0]
    private var width: Int?
    private var height: Int?

    static let poseKeys: [StaticString] = [
        "t_00", "t_01", "t_02", "t_03", "t_10", "t_11", "t_12", "t_13", "t_20", "t_21", "t_22", "t_23",
    ]
    static let pinholeKeys: [StaticString] = ["fx", "fy", "cx", "cy"]
    static let timeKey: StaticString = "timestamp"
    static let segmentKey: StaticString = "tracking_segment"
    private static let side = FieldKind.wholeNumber("a whole number from 1 to 16384", 1...16_384)

    static let table = StreamTable(
        file: "keyframes/cameras/N.json",
        blank: PolycamCamera(),
        missing: .missingField,
        bad: .badField,
        poseKeys.enumerated().map { place, key in
            .required(key, .number) { (camera: inout PolycamCamera, value) in camera.rows[place] = value }
        }
            + pinholeKeys.enumerated().map { place, key in
                .required(key, .number) { (camera: inout PolycamCamera, value) in camera.pinhole[place] = value }
            }
            + [
                .optional("width", side) { $0.width = $1 },
                .optional("height", side) { $0.height = $1 },
                .optional(timeKey, .wholeNumber) { $0.microseconds = $1 },
                .optional(segmentKey, .wholeNumber) { $0.segment = $1 },
            ]
    )

    /// World from camera, in ARKit's own axes.
    func worldFromCamera(file: String) throws(Problem) -> Transform {
        do throws(FieldRefusal) {
            return try Transform(recordedByRows: rows, expected: "t_00 to t_23, three rows of a rigid motion")
        } catch {
            throw Problem(
                error.kind,
                file: file,
                field: Self.poseKeys[0].description,
                expected: error.expected,
                found: error.found
            )
        }
    }

    /// The camera of an image of the size that the file says, or of the picture's.
    ///
    /// - Parameter picture: tells the size of the recording's pictures; `nil` where none reads.
    func intrinsics(file: String, picture: () -> GridSize?) throws(Problem) -> CameraIntrinsics {
        let said = width.flatMap { width in height.map { GridSize(width: width, height: $0) } }
        guard let size = said ?? picture() else {
            throw Problem(
                .badIntrinsics,
                file: file,
                field: width == nil ? "width" : "height",
                expected: "the size of the image that fx, fy, cx and cy are of, or a picture that shows it",
                found: "neither"
            )
        }
        var camera = CameraIntrinsics(width: size.width, height: size.height, fx: 0, fy: 0, cx: 0, cy: 0)
        do throws(FieldRefusal) {
            try camera.setPinhole(fx: pinhole[0], fy: pinhole[1], cx: pinhole[2], cy: pinhole[3])
        } catch {
            throw Problem(error.kind, file: file, field: "fx", expected: error.expected, found: error.found)
        }
        return camera
    }
}
