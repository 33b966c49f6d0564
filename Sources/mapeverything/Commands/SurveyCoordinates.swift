import Earth
import Files
import JSONText
import Maps
import Recording
import Replay
import Sessions

/// The coordinates of a session's surface for surveyors: UTM and heights above the ellipsoid, or local ones.
struct SurveyCoordinates {
    private let zone: UTMZone?
    private let earthFromWorld: Transform?
    private let unixNanoseconds: Int64
    /// Why there is no place on the Earth.
    private let reason: String
    private let accuracyMetres: Double?

    init(_ session: any Session, _ heights: FixHeights) throws {
        let georeference = try Georeference(session, GeoreferenceRequest(), heights: heights)
        let origin = georeference.origin
        earthFromWorld = georeference.earthFromWorld
        zone =
            earthFromWorld == nil
            ? nil
            : origin.flatMap { UTMZone(latitudeDegrees: $0.latitudeDegrees, longitudeDegrees: $0.longitudeDegrees) }
        reason = georeference.reasonForAbsence ?? "the place is outside of UTM"
        accuracyMetres = origin?.horizontalAccuracyMetres
        let anchor = EpochAnchor.resolve(
            .automatic,
            summary: session.summary,
            zoneOffset: { _ in nil },
            nowNanoseconds: WallClock.nowNanoseconds()
        )
        // The time of this run says nothing of the recording.
        unixNanoseconds = anchor.source == .now ? 0 : anchor.stamp(session.summary.firstTime)
    }

    /// The file of a mesh's points in ARKit's world.
    func lasBytes(_ mesh: SurfaceMesh, software: String) throws -> [UInt8] {
        let description = LASFile.Description(
            software: software,
            coordinateSystem: zone?.wellKnownText,
            unixNanoseconds: unixNanoseconds
        )
        let bytes = LASFile.bytes(mesh.points, description) { place in
            let world = Vector3(place) + mesh.origin
            guard let zone, let earthFromWorld else { return Coordinates.mapFromWorld * world }
            return zone.position(ofEarth: earthFromWorld * world)
        }
        guard let bytes else {
            throw OutputError(path: "las", expected: "points less than 4,294 km apart", found: "others")
        }
        return bytes
    }

    var facts: [Fact] {
        guard let zone else {
            let text = "local: those of the frame map, as \(reason)"
            return [Fact("coordinates", text, "coordinates", "local")]
        }
        let accuracy = accuracyMetres.map { ", to \(Format.number($0, decimals: 1)) m" } ?? ""
        let text = "\(zone.name) (EPSG:\(zone.epsgCode))\(accuracy), heights above the ellipsoid"
        return [Fact("coordinates", text, "coordinates", .string("EPSG:\(zone.epsgCode)"))]
    }
}
