import Recording

/// One of the frames of a transforms.json.
struct TransformsFrame: Sendable {
    var worldFromCamera = Transform.identity
    var camera = TransformsCamera()
    var image: String?
    /// Millimetres, or units of the file's own scale.
    var depth: String?
    /// As NeRFCapture names it.
    var captureDepth: String?
    var time: Timestamp?

    /// - Parameter translationScale: What places were multiplied by when the file was made.
    static func table(translationScale: Double) -> StreamTable<Self> {
        StreamTable(
            file: TransformsDocument.file,
            blank: Self(),
            missing: .missingField,
            bad: .badField,
            TransformsCamera.fields(of: \.camera) + [
                .required("transform_matrix", .matrix(4, 4, "a rigid motion by rows")) {
                    frame,
                    rows throws(FieldRefusal) in
                    var rows = rows
                    for place in [3, 7, 11] { rows[place] /= translationScale }
                    frame.worldFromCamera = try Transform(
                        recordedByRows: rows,
                        expected: "4 rows of 4 numbers, a rigid motion"
                    )
                },
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
