import Recording
import Text

/// The part of a transforms.json about all frames (nerfstudio's and instant-ngp's file, and NeRFCapture's).
struct TransformsDocument: Sendable {
    var model: String?
    var camera = TransformsCamera()
    /// Metres for each unit of depth, in files that NeRFCapture's receivers write.
    var depthScale: Double?
    /// The app itself writes this, and depth that is a picture to look at.
    var hasPictureDepth = false
    var appliedScale: Double?

    static let file = "transforms.json"
    static let frames: StaticString = "frames"

    static let table = StreamTable(
        file: file,
        blank: TransformsDocument(),
        TransformsCamera.fields(of: \.camera) + [
            .optional("camera_model", .text("a camera model")) { $0.model = $1 },
            .optional("camera_angle_x", .angle) { $0.camera.angleX = $1 },
            .optional("camera_angle_y", .angle) { $0.camera.angleY = $1 },
            .optional("integer_depth_scale", .finite) { $0.depthScale = $1 > 0 ? $1 : nil },
            .optional("depth_integer_scale", .finite) { document, _ in document.hasPictureDepth = true },
            .optional("applied_scale", .finite) { $0.appliedScale = $1 },
        ]
    )

    static let names = table.names + [frames]

    /// True if pictures are those of a pinhole, but for lens distortion.
    var isPinhole: Bool {
        if camera.isFisheye == true { return false }
        let words = ["OPENCV", "PINHOLE", "SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "PERSPECTIVE", "FULL_OPENCV"]
        return model.map { words.contains($0.uppercased()) } ?? true
    }
}

/// The camera of a file or of one of its frames, as far as it is said.
struct TransformsCamera: Sendable {
    var width: Int?
    var height: Int?
    var fx: Double?
    var fy: Double?
    var cx: Double?
    var cy: Double?
    /// The angles of view of the whole picture, in radians.
    var angleX: Double?
    var angleY: Double?
    var isFisheye: Bool?
    /// The coefficients of the lens, in the order of ``lensKeys``.
    var lens = [Double?](repeating: nil, count: TransformsCamera.lensKeys.count)

    /// Those of ``LensDistortion``, and one more that it has no place for.
    private static let lensKeys: [StaticString] = ["k1", "k2", "p1", "p2", "k3", "k4"]
    /// True for a coefficient that ``LensDistortion`` has no place for.
    var hasFourthRadius: Bool { lens.last.flatMap(\.self) ?? 0 != 0 }

    private static let side = FieldKind<Double>.number("a size in pixels from 1 to 16384", 1...16_384)

    /// The fields that the file and each of its frames may have.
    static func fields<Line>(of camera: any WritableKeyPath<Line, TransformsCamera> & Sendable) -> [StreamField<Line>] {
        let lens: [StreamField<Line>] = lensKeys.enumerated().map { place, key in
            .optional(key, .finite) { $0[keyPath: camera].lens[place] = $1 }
        }
        return [
            .optional("w", side) { $0[keyPath: camera].width = Int($1) },
            .optional("h", side) { $0[keyPath: camera].height = Int($1) },
            .optional("fl_x", .finite) { $0[keyPath: camera].fx = $1 },
            .optional("fl_y", .finite) { $0[keyPath: camera].fy = $1 },
            .optional("cx", .finite) { $0[keyPath: camera].cx = $1 },
            .optional("cy", .finite) { $0[keyPath: camera].cy = $1 },
            .optional("is_fisheye", .bool) { $0[keyPath: camera].isFisheye = $1 },
        ] + lens
    }

    /// These values, and those of another camera where there is none.
    func over(_ other: Self) -> Self {
        Self(
            width: width ?? other.width,
            height: height ?? other.height,
            fx: fx ?? other.fx,
            fy: fy ?? other.fy,
            cx: cx ?? other.cx,
            cy: cy ?? other.cy,
            angleX: angleX ?? (fx == nil ? other.angleX : nil),
            angleY: angleY ?? (fy == nil ? other.angleY : nil),
            isFisheye: isFisheye ?? other.isFisheye,
            lens: zip(lens, other.lens).map { $0 ?? $1 }
        )
    }

    /// The size of the picture, where both sides are said.
    var size: GridSize? { GridSize(width: width, height: height) }

    /// The picture's camera, counted from the centre of its first pixel.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture, where the file does not say it.
    ///   - countsFromCorner: True if the file counts from the picture's corner, half a pixel before.
    func intrinsics(picture: GridSize?, countsFromCorner: Bool) throws(Problem) -> CameraIntrinsics {
        guard let size = size ?? picture else {
            throw Problem(.badIntrinsics, expected: "w and h, or pictures that show them", found: "neither")
        }
        let (w, h) = (Double(size.width), Double(size.height))
        guard let fx = fx ?? angleX.map({ w / 2 / tangent($0 / 2) }) else {
            throw Problem(.badIntrinsics, expected: "fl_x or camera_angle_x", found: "neither")
        }
        let fy = fy ?? angleY.map { h / 2 / tangent($0 / 2) } ?? fx
        let shift = countsFromCorner ? 0.5 : 0
        var camera = try CameraIntrinsics(size, fx: fx, fy: fy, cx: (cx ?? w / 2) - shift, cy: (cy ?? h / 2) - shift)
        camera.distortion = LensDistortion(lens.map { $0 ?? 0 })
        return camera
    }
}

/// One of the frames of a transforms.json.
struct TransformsFrame: Sendable {
    var worldFromCamera = Transform.identity
    var camera = TransformsCamera()
    var image: String?
    /// Depth in millimetres, or in units of the file's own scale.
    var depth: String?
    /// Depth as NeRFCapture names it.
    var captureDepth: String?
    var time: Timestamp?

    /// - Parameter translationScale: The factor of places when the file was made.
    static func table(translationScale: Double) -> StreamTable<Self> {
        let pose = StreamField<Self>.required("transform_matrix", .matrix(4, 4, "a rigid motion by rows")) {
            frame,
            rows throws(Problem) in
            var rows = rows
            for place in [3, 7, 11] { rows[place] /= translationScale }
            frame.worldFromCamera = try Transform(recordedByRows: rows, expected: "4 rows of 4 numbers, a rigid motion")
        }
        return StreamTable(
            file: TransformsDocument.file,
            blank: Self(),
            missing: .missingField,
            bad: .badField,
            TransformsCamera.fields(of: \.camera) + [
                pose,
                .optional("file_path", .text("a path")) { $0.image = $1 },
                .optional("depth_file_path", .text("a path")) { $0.depth = $1 },
                .optional("depth_path", .text("a path")) { $0.captureDepth = $1 },
                .optional("timestamp", .captureTime) { $0.time = $1 },
            ]
        )
    }

    /// The frame in a text, and its optional values that do not read.
    ///
    /// - Parameter place: among the frames, from 0.
    static func parse(
        _ text: UnsafeRawBufferPointer,
        _ table: StreamTable<Self>,
        place: Int
    ) throws(Problem) -> (frame: Self, odd: [Problem]) {
        func placed(_ problem: Problem) -> Problem {
            var placed = problem
            placed.field = "frames[\(place)]" + (problem.field.map { ".\($0)" } ?? "")
            return placed
        }
        do throws(Problem) {
            let values = try LineValues(text, names: table.names, file: TransformsDocument.file, line: nil)
            return (try table.read(values), table.optionalProblems(values).map(placed))
        } catch {
            throw placed(error)
        }
    }
}

extension FieldKind where Value == Double {
    fileprivate static var finite: Self {
        Self(expected: "a finite number") { scanner throws(JSONError) in
            let value = try scanner.number()
            return value.isFinite ? value : nil
        }
    }

    fileprivate static var angle: Self { number("radians from 0.01 to 3.1", 0.01...3.1) }

    fileprivate static func number(_ expected: String, _ range: ClosedRange<Double>) -> Self {
        Self(expected: expected) { scanner throws(JSONError) in
            let value = try scanner.number()
            return range.contains(value) ? value : nil
        }
    }
}
