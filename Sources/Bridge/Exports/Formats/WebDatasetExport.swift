import Codecs
import Maps
import Platform
import Recording
import Sessions
import SystemPackage
import Text

extension FrameFormat {
    package static let webDataset = FrameFormat("webdataset") { _, _ in
        ViewLayout(image: ("images", .stored), depth: ("depth", .turned(unitsPerMetre: 1000)))
    } writer: {
        try WebDatasetExport($0)
    }.with {
        ($0.hasDepth, $0.isDataset) = (true, true)
    }
}

/// Samples in numbered tar files, as PyPI's webdataset reads them: `KEY.jpg`, `KEY.depth.png` (16 bits, millimetres, turned as the
/// image is) and `KEY.json` of each frame, where KEY is the recording's name and the frame's number.
///
/// Files are written one by one, as those of other formats are, tested, and then packed.
final class WebDatasetExport: ExportWriter {
    /// A tar file ends with the sample that reaches either.
    private static let shardSamples = 10_000
    private static let shardBytes = 1_000_000_000
    private static let folder = "samples"

    private let context: ExportContext
    private let name: String
    private var samples: [(key: String, image: String, depth: String)] = []
    private var shardCount = 0

    init(_ context: ExportContext) throws {
        self.context = context
        try context.folder.makeFolder(Self.folder)
        // The first dot of a name ends the key.
        let plain = context.session.summary.name.unicodeScalars.map { scalar -> String in
            guard scalar.isASCII else { return "u" + String(scalar.value, radix: 16) }
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) ? String(scalar) : "_"
        }
        name = String(plain.joined().prefix(60))
    }

    func add(_ view: ExportedView) throws {
        let key = "\(name)_\(padded(view.frame.index, 6))"
        let depth = context.folder.file(view.depthFile)
        samples.append(
            (key, view.imageFile, view.depthFile.isEmpty || FileType(of: depth) == nil ? "" : view.depthFile)
        )
        let intrinsics = view.intrinsics
        let json: JSONValue = [
            "session": .string(context.session.summary.name), "frame": .integer(view.frame.index),
            "time": .string(decimalSeconds(view.unixNanoseconds)),
            "width": .integer(intrinsics.width), "height": .integer(intrinsics.height), "fx": .number(intrinsics.fx),
            "fy": .number(intrinsics.fy), "cx": .number(intrinsics.cx), "cy": .number(intrinsics.cy),
            "world_from_camera": .array(
                view.worldFromOptical.rows.map { row in .array(row.map { .number($0) }) }
            ),
            "depth_unit_m": 0.001,
        ]
        try context.write(json.text() + "\n", to: "\(Self.folder)/\(samples.count).json")
    }

    func finish(_ surface: SurfaceMesh) throws {}

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        var views: [Int: ReadView] = [:]
        for number in numbers {
            let path = context.folder.file("\(Self.folder)/\(number).json")
            let json = try JSONValue.parse(OutputFile.contents(of: path))
            func value(_ key: String) -> Double { json[key]?.number ?? .nan }
            let rows = (json["world_from_camera"]?.array ?? []).map { ($0.array ?? []).compactMap(\.number) }
            guard let pose = Transform(rows: rows), let width = json["width"]?.integer,
                let height = json["height"]?.integer
            else { continue }
            let size = GridSize(width: Int(width), height: Int(height))
            let (fx, fy, cx, cy) = (value("fx"), value("fy"), value("cx"), value("cy"))
            let intrinsics = CameraIntrinsics(size: size, fx: fx, fy: fy, cx: cx, cy: cy)
            views[number] = ReadView(worldFromOptical: pose, intrinsics: intrinsics)
        }
        return views
    }

    /// Moves all files into tar files, and counts what is in those.
    func pack() throws {
        var tar: TARWriter?
        var packed = 0
        for (place, sample) in samples.enumerated() {
            let shard: TARWriter
            if let tar, packed < Self.shardSamples, tar.byteCount < Self.shardBytes {
                shard = tar
            } else {
                try tar?.finish()
                packed = 0
                let path = context.folder.file("\(name)-\(padded(shardCount, 6)).tar")
                shard = try TARWriter(creating: path)
                tar = shard
                shardCount += 1
            }
            let ending = sample.image.split(separator: ".").last.map { String($0) } ?? "jpg"
            var files = [("\(sample.key).\(ending)", sample.image)]
            if !sample.depth.isEmpty { files.append(("\(sample.key).depth.png", sample.depth)) }
            files.append(("\(sample.key).json", "\(Self.folder)/\(place + 1).json"))
            for (name, file) in files {
                let path = context.folder.file(file)
                try shard.add(name, OutputFile.contents(of: path))
                FileTree.remove(path)
            }
            packed += 1
        }
        try tar?.finish()
        for folder in [Self.folder, "images", "depth"] { FileTree.remove(context.folder.file(folder)) }
        let expected = samples.reduce(0) { $0 + ($1.depth.isEmpty ? 2 : 3) }
        var found = 0
        for number in 0..<shardCount {
            let archive = try TARArchive(path: context.folder.file("\(name)-\(padded(number, 6)).tar").string)
            found += archive.damage.isEmpty ? archive.entries.count : 0
        }
        guard found == expected else {
            throw ExportError.selfTestFile(name: "\(name)-*.tar", expected: "\(expected) files", found: "\(found)")
        }
    }

    var readme: [String] {
        let shards = shardCount == 1 ? "\(name)-000000.tar" : "\(name)-{000000..\(padded(shardCount - 1, 6))}.tar"
        return [
            "Frames as samples in tar files: the stored image, its depth (16-bit PNG, millimetres, 0: unknown) and its camera.",
            "world_from_camera has the upper three rows of the matrix; optical axes: x right, y down, z forward.",
            "",
            "  python -c \"import webdataset; print(next(iter(webdataset.WebDataset('THIS_FOLDER/\(shards)', shardshuffle=False).decode('pil'))).keys())\"",
        ]
    }
}
