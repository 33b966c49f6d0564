import Codecs
import Recording

extension RecordingFormat {
    /// The "All Data" export of 3D Scanner App.
    static let threeDScannerApp = RecordingFormat(
        ScannerSession.formatName,
        entryFiles: ["frame_00000.json"],
        recognises: ScannerSession.recognises,
        open: ScannerSession.open
    )
}

/// Reads the "All Data" export of 3D Scanner App: a JSON file for each pose, with picture, depth and confidence of the
/// same number where there are any.
enum ScannerSession {
    static let formatName = "3D Scanner App"

    private static let maximumFrameBytes = 1 << 20

    /// At least one frame_NNNNN.json has a pose; a few are looked into, as the first may be damaged.
    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        var candidates: [Int] = []
        files.forEachName(inFolder: ".") { name in
            if let number = NumberedFile.number(of: name, "frame_", ".json") { candidates.append(number) }
            return candidates.count < 64
        }
        return candidates.sorted().prefix(8).contains { number in
            guard let bytes = try? files.readText(frameFile(number), maximumBytes: maximumFrameBytes) else {
                return false
            }
            return String(decoding: bytes, as: UTF8.self).contains("\"\(ScannerFrame.pose.key)\"")
        }
    }

    @Sendable static func open(_ files: any SessionFiles, path: String) throws -> any Session {
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: "frame_NNNNN.json")
        summary.frameNames.time = "time"
        summary.frameNames.transform = ScannerFrame.pose.key
        summary.frameNames.intrinsics = "intrinsics"
        summary.frameNames.ownFile = { frameFile($0.index) }
        summary.location.file = "frame_NNNNN.json"
        summary.location.unixTime = "gpsTime"
        var list = FrameList(summary)
        var fixes = ScannerFixes()
        for number in frameNumbers(files) {
            list.countLine()
            guard let frame = frame(number, files, &list) else { continue }
            if let fix = frame.fix { fixes.add(fix) }
            list.add(frame.reference(number: number, line: list.lineCount))
        }
        return try FrameListSession(
            files,
            path: path,
            list: list,
            recipe: recipe,
            samples: [.location: .list(fixes.samples.map { .location($0) })]
        ) { summary, _ in
            summary.wallClock.locationOffsetNanoseconds = fixes.offsetNanoseconds
            summary.takeDate(inNameOf: files, "the folder's name")
        }
    }

    /// A frame that reads; what is wrong with one that does not is counted.
    private static func frame(_ number: Int, _ files: any SessionFiles, _ list: inout FrameList) -> ScannerFrame? {
        let file = frameFile(number)
        do throws(Problem) {
            let (frame, odd) = try ScannerFrame.parse(
                files.readText(file, maximumBytes: maximumFrameBytes),
                file: file
            )
            guard frame.index ?? number == number else {
                throw Problem(
                    .badField,
                    file: file,
                    field: "frame_index",
                    expected: "\(number), as in its name",
                    found: "\(frame.index ?? number)"
                )
            }
            for problem in odd { list.note(problem) }
            return frame
        } catch {
            list.record(error)
            return nil
        }
    }

    private static let recipe = PayloadRecipe(
        imageNames: { ["frame_\(padded($0)).jpg"] },
        imagePromise: .any,
        depth: .init(names: { ["depth_\(padded($0)).png"] }, decode: DepthFiles.millimetrePNG),
        confidence: .init(names: { ["conf_\(padded($0)).png"] }, decode: DepthFiles.grayPNG),
        numberedFiles: [("frame_", ".jpg"), ("depth_", ".png"), ("conf_", ".png")],
        listFile: frameFile
    )

    private static func padded(_ frame: FrameReference) -> String { NumberedFile.padded(frame.index, 5) }

    private static func frameFile(_ number: Int) -> String { "frame_\(NumberedFile.padded(number, 5)).json" }

    /// Sorted; a name with another number of digits is no frame's.
    private static func frameNumbers(_ files: any SessionFiles) -> [Int] {
        var numbers: [Int] = []
        files.forEachName(inFolder: ".") { name in
            if let number = NumberedFile.number(of: name, "frame_", ".json"), name == frameFile(number) {
                numbers.append(number)
            }
            return true
        }
        return numbers.sorted()
    }
}
