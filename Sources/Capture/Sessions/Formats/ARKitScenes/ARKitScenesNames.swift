import Recording

/// The names of the files of an ARKitScenes capture: its number, `_`, seconds with three decimals.
///
/// A name is made from a time: those of one frame differ by a millisecond from stream to stream, and no list of names has to
/// be kept.
struct ARKitScenesNames: Sendable {
    static let poses = "lowres_wide.traj"
    static let depth = "lowres_depth"
    static let confidence = "confidence"
    static let cameraEnding = ".pincam"
    static let pictureEnding = ".png"
    /// Folders of pictures of the camera that poses and depth are of, those of the largest first.
    static let streams = ["wide", "vga_wide", "lowres_wide"]
    /// How far apart the times of the files of one frame may be, in milliseconds, the nearest first.
    private static let offsets = [0, -1, 1, -2, 2]
    /// A folder of files of very many captures is none of them.
    private static let maximumStarts = 64

    /// The number of the capture with its `_`.
    let start: String

    static func cameraFolder(_ stream: String) -> String { "\(stream)_intrinsics" }

    /// Whether a stream has cameras.
    static func hasCameras(_ stream: String, _ files: any SessionFiles) -> Bool {
        var isThere = false
        files.forEachName(inFolder: cameraFolder(stream)) { name in
            isThere = Self.start(of: name, cameraEnding) != nil
            return !isThere
        }
        return isThere
    }

    /// The start that most names of cameras have; `nil` where there is no camera.
    init?(_ files: any SessionFiles) {
        var counts: [Substring: Int] = [:]
        for stream in Self.streams {
            files.forEachName(inFolder: Self.cameraFolder(stream)) { name in
                guard let start = Self.start(of: name, Self.cameraEnding) else { return true }
                if counts[start] != nil || counts.count < Self.maximumStarts { counts[start, default: 0] += 1 }
                return true
            }
        }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        start = String(most.key)
    }

    /// What stands before the time in a name; `nil` for another name.
    static func start(of name: String, _ ending: String) -> Substring? {
        guard name.hasSuffix(ending), !name.hasPrefix(".") else { return nil }
        let stem = name.dropLast(ending.count)
        let time = stem.lastIndex(of: "_").map { stem[stem.index(after: $0)...] } ?? stem
        let parts = time.split(separator: ".", omittingEmptySubsequences: false)
        func isNumber(_ text: Substring) -> Bool { NumberedFile.number(of: String(text), "", "") != nil }
        guard parts.count == 2, parts[1].utf8.count == 3, parts.allSatisfy(isNumber) else { return nil }
        return stem.dropLast(time.count)
    }

    /// The names that the file of a time may have, the nearest first.
    ///
    /// - Parameter milliseconds: from 0, less than 1e13.
    func names(_ folder: String, _ milliseconds: Int, _ ending: String) -> [String] {
        Self.offsets.compactMap { offset in
            let time = milliseconds + offset
            guard time >= 0 else { return nil }
            return "\(folder)/\(start)\(time / 1000).\(NumberedFile.padded(time % 1000, 3))\(ending)"
        }
    }

    /// The stream of pictures that the frames are read with: the largest that has nearly as many of them as any.
    ///
    /// - Parameter times: milliseconds of the poses.
    func stream(_ files: any SessionFiles, times: [Int]) -> String {
        var listing = FolderListing(files)
        func isThere(_ folder: String, _ time: Int, _ ending: String) -> Bool {
            listing.contains(anyOf: names(folder, time, ending))
        }
        func count(withPictures: Bool) -> [Int] {
            Self.streams.map { stream in
                times.count { time in
                    isThere(Self.cameraFolder(stream), time, Self.cameraEnding)
                        && (!withPictures || isThere(stream, time, Self.pictureEnding))
                }
            }
        }
        var counts = count(withPictures: true)
        // Depth can be used without pictures.
        if counts.allSatisfy({ $0 == 0 }) { counts = count(withPictures: false) }
        let most = counts.max() ?? 0
        guard most > 0, let best = counts.firstIndex(where: { 10 * $0 >= 9 * most }) else {
            return Self.streams[Self.streams.count - 1]
        }
        return Self.streams[best]
    }
}
