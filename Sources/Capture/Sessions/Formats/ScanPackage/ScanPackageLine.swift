import Recording

/// A line of the frames.jsonl of a ScanPackage.
struct ScanPackageLine: Sendable {
    var time = Timestamp(nanoseconds: 0)
    var worldFromCamera = Transform.identity
    var intrinsics = CameraIntrinsics(width: 0, height: 0, fx: 0, fy: 0, cx: 0, cy: 0)
    var depthSize: GridSize?
    /// The frame's own name.
    var id: String?
    var image: String?
    var depth: String?
    var confidence: String?
    private var depthWidth: Int?
    private var depthHeight: Int?
    /// By rows.
    private var pinhole: [Double]?
    /// By rows, of the depth.
    private var depthPinhole: [Double]?

    /// Of depth whose size is not said.
    static let usualDepthSize = GridSize(width: 256, height: 192)
    static let file = "frames.jsonl"
    static let pose = StreamField<ScanPackageLine>.required(
        "camera_to_world",
        .matrix(4, 4, "a rigid motion by rows")
    ) { line, rows throws(FieldRefusal) in
        line.worldFromCamera = try Transform(recordedByRows: rows, expected: "4 rows of 4 numbers, a rigid motion")
    }

    private static let side = FieldKind<Int>.wholeNumber("a whole number from 1 to 16384", 1...16_384)

    static let table = StreamTable(
        file: file,
        blank: ScanPackageLine(),
        missing: .missingField,
        bad: .badField,
        [
            .required("timestamp", .captureTime) { $0.time = $1 },
            pose,
            .required("image_width", side) { $0.intrinsics.width = $1 },
            .required("image_height", side) { $0.intrinsics.height = $1 },
            .optional("intrinsics", .matrix(3, 3, "a pinhole matrix by rows")) { $0.pinhole = $1 },
            .optional("intrinsics_depth", .matrix(3, 3, "the depth's pinhole matrix by rows")) { $0.depthPinhole = $1 },
            .optional("frame_id", .text("a name")) { $0.id = $1 },
            .optional("image_path", .text("a path")) { $0.image = $1 },
            .optional("depth_path", .text("a path")) { $0.depth = $1 },
            .optional("confidence_path", .text("a path")) { $0.confidence = $1 },
            .optional("depth_width", side) { $0.depthWidth = $1 },
            .optional("depth_height", side) { $0.depthHeight = $1 },
        ]
    )

    private static let names = table.names

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> (Self, odd: [Problem]) {
        let values = try LineValues(bytes, names: names, file: file, line: line)
        var parsed = try table.read(values)
        if let width = parsed.depthWidth, let height = parsed.depthHeight {
            parsed.depthSize = GridSize(width: width, height: height)
        }
        try parsed.setCamera(line)
        return (parsed, table.optionalProblems(values))
    }

    /// The picture's camera; where the line has only that of the depth, it is scaled.
    private mutating func setCamera(_ line: Int) throws(Problem) {
        let picture = GridSize(width: intrinsics.width, height: intrinsics.height)
        let (field, matrix, size) =
            pinhole.map { ("intrinsics", $0, picture) }
            ?? ("intrinsics_depth", depthPinhole, depthSize ?? Self.usualDepthSize)
        guard let k = matrix else {
            throw Problem(
                .badIntrinsics,
                file: Self.file,
                line: line,
                field: "intrinsics",
                expected: "3 rows of 3 finite numbers, or intrinsics_depth",
                found: "neither"
            )
        }
        var camera = CameraIntrinsics(width: size.width, height: size.height, fx: 0, fy: 0, cx: 0, cy: 0)
        do throws(FieldRefusal) {
            try camera.setPinhole(fx: k[0], fy: k[4], cx: k[2], cy: k[5])
        } catch {
            throw Problem(
                error.kind,
                file: Self.file,
                line: line,
                field: field,
                expected: error.expected,
                found: error.found
            )
        }
        intrinsics = size == picture ? camera : camera.scaled(toWidth: picture.width, height: picture.height)
    }
}
