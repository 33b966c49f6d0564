import ArgumentParser
import Codecs
import Maps
import Perception
import Platform
import Recording
import Sessions
import SystemPackage
import Text
import Translation

struct TagsDetectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect",
        abstract: "Find AprilTags in the images of a session, or in images.",
        discussion: """
            Prints one JSON object a line for each tag of each image; what became of all images goes to stderr.

            Examples:
              mapeverything tags detect room > room.jsonl
              mapeverything tags detect photo.png --intrinsics 1450,1450,960,720
            """
    )

    @Argument(help: "A session (folder, .zip or .tar), or images (.jpg, .png).", completion: .file()) var inputs:
        [String]

    @OptionGroup var search: TagSearchOptions

    @Option(
        help: .value(
            "fx,fy,cx,cy",
            "fx,fy,cx,cy of images, in pixels, counted from the middle of the first one. Without: no poses."
        )
    )
    var intrinsics: String?

    @Option(
        help: .value("folder", "Folder to create, with a picture of each image that has tags."),
        completion: .directory
    ) var draw: String?

    func run() async throws {
        let folder = try draw.map { try OutputFolder(creating: FilePath($0)) }
        do {
            if let first = inputs.first, inputs.count == 1, !Self.isImage(first) {
                guard intrinsics == nil else {
                    throw UsageError("--intrinsics", expected: "images", found: "the session \(first)")
                }
                try await detect(in: OpenedRecording.open(first).session, folder)
            } else {
                try await detect(inImages: inputs, folder)
            }
            try folder?.show()
        } catch {
            folder?.discard()
            throw error
        }
    }

    private static func isImage(_ path: String) -> Bool {
        let name = path.lowercased()
        return [".jpg", ".jpeg", ".png"].contains { name.hasSuffix($0) }
    }

    private func detect(in session: any Session, _ folder: OutputFolder?) async throws {
        let printer = SightingPrinter(session, folder)
        let counts = try await TagSearch(search, "tags detect").search(session) { try await printer.print($0) }
        Terminal.printError(counts.facts.text)
    }

    private func detect(inImages paths: [String], _ folder: OutputFolder?) async throws {
        let text = try await search.progress.run("tags detect") { try detect(inImages: paths, folder, $0) }
        Terminal.printError(text)
    }

    /// Says at the end what was found in all.
    private func detect(inImages paths: [String], _ folder: OutputFolder?, _ tell: ProgressHandler) throws -> String {
        let numbers = intrinsics.map { $0.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) } }
        if let numbers, numbers.count != 4 || numbers.contains(where: { $0 == nil || !($0 ?? 0).isFinite }) {
            throw UsageError("--intrinsics", expected: "fx,fy,cx,cy", found: intrinsics ?? "")
        }
        let k = numbers?.compactMap(\.self)
        let detector = try TagDetector(search.parameters())
        let measurer = try search.measurer()
        var (found, rejected, withoutPose) = (0, TagRejections(), 0)
        for (place, path) in paths.enumerated() {
            try Task.checkCancellation()
            tell(WorkProgress("searching", place, of: paths.count, .images))
            let image = try TagPicture.read(path)
            let detections: TagDetections
            do throws(TagImageError) {
                detections = try detector.detect(GrayImage(image))
            } catch {
                throw InputError(path: path, problem: "\(error)")
            }
            rejected += detections.rejected
            found += detections.tags.count
            let camera = k.map {
                CameraIntrinsics(width: image.width, height: image.height, fx: $0[0], fy: $0[1], cx: $0[2], cy: $0[3])
            }
            for tag in detections.tags {
                let sighting = camera.flatMap { measurer.sighting(of: tag, camera: $0, depth: nil) }
                if sighting == nil { withoutPose += 1 }
                Terminal.print(tag.line(["image": path], sighting))
            }
            guard let folder, !detections.tags.isEmpty else { continue }
            var picture = image
            for tag in detections.tags { TagPicture.draw(tag, on: &picture) }
            try TagPicture.write(picture, to: folder, name: (FilePath(path).stem ?? "image") + ".png")
        }
        let reasons = rejected.count > 0 ? ": " + rejected.reasons.joined(separator: ", ") : ""
        return "\(found) tags in \(paths.count) images; \(rejected.count) not believed\(reasons)"
            + (withoutPose > 0 ? "; \(withoutPose) without a pose, which takes --intrinsics and --tag-size" : "")
    }
}

extension TagDetection {
    /// The line of a sighting, behind what tells where it is.
    fileprivate func line(_ place: KeyValuePairs<String, any JSONRepresentable>, _ sighting: TagSighting?) -> String {
        var line = Report()
        line.json(place)
        line.json([
            "family": family.rawValue, "id": id, "hamming": hamming, "margin": margin,
            "corners_px": corners.flatMap { [$0.x, $0.y] },
        ])
        guard let sighting else { return line.json.text() }
        let (t, q) = (sighting.cameraFromTag.translation, sighting.cameraFromTag.rotation)
        let variances = sighting.covariance.diagonal
        line.json([
            "source": sighting.source.rawValue, "position_m": [t.x, t.y, t.z], "quaternion_xyzw": [q.x, q.y, q.z, q.w],
            "sigma_m": (0..<3).map { variances.translation[$0].squareRoot() },
            "sigma_rad": (0..<3).map { variances.rotation[$0].squareRoot() }, "edge_m": sighting.edgeMetres,
            "measured_edge_m": sighting.measuredEdgeMetres,
            "reprojection_px": sighting.poses.map(\.reprojectionPixels),
        ])
        return line.json.text()
    }
}

/// Prints what the workers found, and draws it.
private actor SightingPrinter {
    private let folder: OutputFolder?
    private let loader: any PayloadLoader

    init(_ session: any Session, _ folder: OutputFolder?) {
        self.folder = folder
        loader = session.makeLoader()
    }

    func print(_ found: FrameTags) throws {
        for sighting in found.sightings {
            let frame = found.frame
            Terminal.print(sighting.tag.line(["frame": frame.index, "time_s": frame.time.seconds], sighting))
        }
        guard let folder, !found.sightings.isEmpty else { return }
        var diagnostics = Diagnostics()
        guard let stored = loader.image(of: found.frame, &diagnostics),
            var picture = loader.decode(stored, of: found.frame, fullSize: true, &diagnostics)
        else { return }
        for sighting in found.sightings {
            var tag = sighting.tag
            // The picture is turned as it was stored.
            tag.corners = tag.corners.map { corner in
                let point = stored.orientation.storedPoint(
                    sensorX: corner.x,
                    sensorY: corner.y,
                    sensorWidth: found.camera.width,
                    sensorHeight: found.camera.height
                )
                return SIMD2(point.x, point.y)
            }
            TagPicture.draw(tag, on: &picture)
        }
        try TagPicture.write(picture, to: folder, name: "\(found.frame.index).png")
    }
}
