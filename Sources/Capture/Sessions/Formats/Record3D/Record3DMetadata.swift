import JSONText
import Recording

/// What Record3D writes about all frames in one JSON object, `metadata.json` or `metadata`: cameras, poses, times.
struct Record3DMetadata: Sendable {
    /// The size of the stored pictures.
    var width = 0
    var height = 0
    /// The size of the stored depth; `nil` in old files.
    var depthWidth: Int?
    var depthHeight: Int?
    var framesPerSecond: Double?
    /// By columns, of the stored pictures.
    var camera: [Double]?

    /// Recordings with the phone upright are stored turned by 90 degrees clockwise, poses and cameras with them.
    var isPortrait: Bool { height > width }

    /// Those of cameras: times of others may not fit into a number.
    private static let rates = 0.01...1000

    static let table = StreamTable(
        file: "metadata.json",
        blank: Record3DMetadata(),
        missing: .missingField,
        bad: .badField,
        [
            .required("w", .wholeNumber("a whole number from 1 to 16384", 1...16_384)) { $0.width = $1 },
            .required("h", .wholeNumber("a whole number from 1 to 16384", 1...16_384)) { $0.height = $1 },
            .optional("dw", .wholeNumber("a whole number from 1 to 2048", 1...2048)) { $0.depthWidth = $1 },
            .optional("dh", .wholeNumber("a whole number from 1 to 2048", 1...2048)) { $0.depthHeight = $1 },
            .optional("fps", .number) { $0.framesPerSecond = rates.contains($1) ? $1 : nil },
            .optional("K", .numbers(9, "a pinhole matrix by columns")) { $0.camera = $1 },
        ]
    )

    static let poses: StaticString = "poses"
    static let times: StaticString = "frameTimestamps"
    static let cameras: StaticString = "perFrameIntrinsicCoeffs"
    static let names = table.names + [poses, times, cameras]

    static let pose = FieldKind<[Double]>.numbers(7, "qx, qy, qz, qw, x, y, z")
    static let coefficients = FieldKind<[Double]>.numbers(4, "fx, fy, cx, cy")
}

/// The values of a JSON array one by one; there may be no array at all.
struct JSONElements {
    private var scanner: JSONScanner?

    init(_ text: UnsafeRawBufferPointer?) {
        guard let text else { return }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        guard (try? scanner.peek()) == .array, (try? scanner.beginArray()) != nil else { return }
        self.scanner = scanner
    }

    /// Whether there is an array.
    var isThere: Bool { scanner != nil }

    /// The text of the next element; `nil` at the end.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard var scanner, (try? scanner.nextElement()) == true, let value = try? scanner.rawValue() else { return nil }
        self.scanner = scanner
        return value
    }

    /// The next element as one kind of value: `nil` at the end, and `.some(nil)` where it is another.
    mutating func next<Value>(_ kind: FieldKind<Value>) -> Value?? {
        guard let text = next() else { return .none }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        return .some((try? kind.read(&scanner)) ?? nil)
    }
}
