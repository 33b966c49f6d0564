import Codecs
import Platform
import Recording

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

    private let folder: OutputFolder
    private let layout: ViewLayout

    init(_ folder: OutputFolder, _ layout: ViewLayout) {
        self.folder = folder
        self.layout = layout
    }

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
