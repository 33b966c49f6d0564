import JSONText
import Recording

/// What a transforms.json says of all frames (nerfstudio's and instant-ngp's file, and NeRFCapture's).
struct TransformsDocument: Sendable {
    var model: String?
    var camera = TransformsCamera()
    /// Metres for each unit of depth, in files that NeRFCapture's receivers write.
    var depthScale: Double?
    /// The app itself writes this, and depth that is a picture to look at.
    var hasPictureDepth = false
    var appliedScale: Double?
    var hasDistortion = false

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
            .optional("k1", .finite) { $0.addDistortion($1) },
            .optional("k2", .finite) { $0.addDistortion($1) },
            .optional("k3", .finite) { $0.addDistortion($1) },
            .optional("k4", .finite) { $0.addDistortion($1) },
            .optional("p1", .finite) { $0.addDistortion($1) },
            .optional("p2", .finite) { $0.addDistortion($1) },
        ]
    )

    static let names = table.names + [frames]

    private mutating func addDistortion(_ coefficient: Double) {
        if coefficient != 0 { hasDistortion = true }
    }

    /// Whether pictures are those of a pinhole, but for lens distortion.
    var isPinhole: Bool {
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
    /// Of the whole picture, in radians.
    var angleX: Double?
    var angleY: Double?

    private static let side = FieldKind<Double>.number("a size in pixels from 1 to 16384", 1...16_384)

    /// The fields that the file and each of its frames may have.
    static func fields<Line>(
        of camera: any WritableKeyPath<Line, TransformsCamera> & Sendable
    ) -> [StreamField<Line>] {
        [
            .optional("w", side) { $0[keyPath: camera].width = Int($1) },
            .optional("h", side) { $0[keyPath: camera].height = Int($1) },
            .optional("fl_x", .finite) { $0[keyPath: camera].fx = $1 },
            .optional("fl_y", .finite) { $0[keyPath: camera].fy = $1 },
            .optional("cx", .finite) { $0[keyPath: camera].cx = $1 },
            .optional("cy", .finite) { $0[keyPath: camera].cy = $1 },
        ]
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
            angleY: angleY ?? (fy == nil ? other.angleY : nil)
        )
    }

    /// Of the picture, where both sides are said.
    var size: GridSize? { width.flatMap { width in height.map { GridSize(width: width, height: $0) } } }

    /// The picture's camera, counted from the centre of its first pixel.
    ///
    /// - Parameters:
    ///   - picture: The size of the picture, where the file does not say it.
    ///   - countsFromCorner: Whether the file counts from the picture's corner, half a pixel before.
    func intrinsics(picture: GridSize?, countsFromCorner: Bool) throws(FieldRefusal) -> CameraIntrinsics {
        guard let size = size ?? picture else {
            throw FieldRefusal(kind: .badIntrinsics, expected: "w and h, or pictures that show them", found: "neither")
        }
        var camera = CameraIntrinsics(width: size.width, height: size.height, fx: 0, fy: 0, cx: 0, cy: 0)
        let (w, h) = (Double(size.width), Double(size.height))
        guard let fx = fx ?? angleX.map({ w / 2 / tangent($0 / 2) }) else {
            throw FieldRefusal(kind: .badIntrinsics, expected: "fl_x or camera_angle_x", found: "neither")
        }
        let shift = countsFromCorner ? 0.5 : 0
        try camera.setPinhole(
            fx: fx,
            fy: fy ?? angleY.map { h / 2 / tangent($0 / 2) } ?? fx,
            cx: (cx ?? w / 2) - shift,
            cy: (cy ?? h / 2) - shift
        )
        return camera
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
