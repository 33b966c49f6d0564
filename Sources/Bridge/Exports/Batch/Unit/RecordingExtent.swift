import HTMLReports
import Recording
import Sessions
package import Text
import Translation

/// The catalogue entry of a recording: its ``RecordingFacts``, and where it was, from one walk through its records.
package enum RecordingExtent {
    /// The file in a unit's folder that shows the recording.
    package static let thumbnail = "thumbnail.jpg"

    /// - Throws: what opening the recording throws; a ``BatchError`` where a program is missing that its pictures take.
    package static func gather(_ path: String) throws -> (facts: JSONValue, thumbnail: [UInt8]?) {
        let session = try SessionFormats.open(path: path)
        // A result without pictures would count as done for ever, also where the program was installed later.
        if let problem = session.diagnostics.entries.first(where: { $0.kind == .videoNotRead })?.examples.first {
            throw BatchError.missingProgram(problem)
        }
        var (low, high) = (
            Vector3(x: .infinity, y: .infinity, z: .infinity), Vector3(x: -.infinity, y: -.infinity, z: -.infinity)
        )
        var (west, south, east, north) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
        var hasFix = false
        // From the middle, where most is seen; the first one of a video, which is decoded from its start.
        var shown: FrameReference?
        // Without images, what their depth shows.
        var deep = SpreadSample<FrameReference>(limit: 16)
        let middle = session.summary.imageSource == nil ? session.summary.frameCount / 2 : 0
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames, .location]))
        while let record = try walk.next() {
            switch record {
            case .frame(let frame):
                if frame.hasImage, shown == nil || frame.index <= middle { shown = frame }
                if frame.hasDepth, frame.tracking.isNormal { deep.add(frame) }
                let place = frame.worldFromCamera.translation
                low = Vector3(x: min(low.x, place.x), y: min(low.y, place.y), z: min(low.z, place.z))
                high = Vector3(x: max(high.x, place.x), y: max(high.y, place.y), z: max(high.z, place.z))
            case .location(let fix):
                hasFix = true
                (west, east) = (min(west, fix.longitudeDegrees), max(east, fix.longitudeDegrees))
                (south, north) = (min(south, fix.latitudeDegrees), max(north, fix.latitudeDegrees))
            default: break
            }
        }
        var facts = RecordingFacts(OpenedRecording(session))
        // Times of files are those of a copy, and what a unit makes must not depend on where it ran.
        if facts.startSource == .fileTime { (facts.start, facts.startSource) = (nil, nil) }
        let extent: JSONValue =
            low.x <= high.x
            ? .array([high.x - low.x, high.y - low.y, high.z - low.z].map { .number(($0 * 1000).rounded() / 1000) })
            : .null
        // Of the camera's positions, along the axes of the recording's world: x, y (up) and z.
        let places: [(String, JSONValue)] = [
            ("extent_m", extent),
            ("gps_box", hasFix ? .array([west, south, east, north].map { .number($0) }) : .null),
        ]
        let picture =
            shown.flatMap { RecordingThumbnail.jpeg(of: $0, in: session) }
            ?? RecordingThumbnail.jpeg(ofDepthIn: deep.items, session)
        return (.object(facts.members + places), picture)
    }
}
