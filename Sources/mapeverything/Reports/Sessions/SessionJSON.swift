import Earth
import JSONText
import PointClouds
import Recording
import Replay
import Sessions

/// Parts of reports about a session, for machines.
enum SessionJSON {
    static func anchor(_ anchor: EpochAnchor) -> JSONValue {
        [
            "offset_ns": .integer(anchor.offsetNanoseconds), "source": .string(anchor.source.rawValue),
            "remark": .string(anchor.remark),
        ]
    }

    /// Where the map lies on the Earth, and how that is known.
    static func georeference(_ georeference: Georeference) -> JSONValue {
        [
            "heading": [
                "known": .bool(georeference.heading.degrees != nil && !georeference.heading.isAssumed),
                "assumed": .bool(georeference.heading.isAssumed),
                "degrees": .number(georeference.heading.degrees),
                "sigma_degrees": .number(georeference.heading.chosen?.sigmaDegrees),
                "source": .string(georeference.heading.source),
                "evidence": .array(
                    georeference.heading.evidence.map { evidence in
                        [
                            "source": .string(evidence.source.text), "degrees": .number(evidence.degrees),
                            "sigma_degrees": .number(evidence.sigmaDegrees),
                        ]
                    }
                ),
            ],
            "mode": .string(georeference.mode.rawValue),
            "method": .string(georeference.method),
            "earth": .bool(georeference.origin != nil),
            "reason": .string(georeference.reasonForAbsence),
            "origin": georeference.origin.map(origin) ?? .null,
            "track": georeference.alignment.map(track) ?? .null,
        ]
    }

    private static func origin(_ origin: GeoreferenceOrigin) -> JSONValue {
        [
            "latitude": .number(origin.latitudeDegrees), "longitude": .number(origin.longitudeDegrees),
            "height_m": .number(origin.heightMetres), "height_source": .string(origin.heightSource),
            "horizontal_accuracy_m": .number(origin.horizontalAccuracyMetres),
            // Of east, north, up and the yaw; what is not known is null.
            "covariance": .array(origin.covariance.map { .number($0.isNaN ? nil : $0) }),
        ]
    }

    private static func track(_ track: TrackAlignment) -> JSONValue {
        [
            "fixes": .integer(track.pointCount), "inliers": .integer(track.inlierCount),
            "effective_fixes": .number(track.effectiveCount),
            "extent_m": .number(track.extentMetres), "tells_heading": .bool(track.tellsHeading),
            "heading_degrees": track.tellsHeading ? .number(track.headingDegrees) : .null,
            "heading_sigma_degrees": .number(track.headingSigmaDegrees),
            "residual_median_m": .number(track.medianResidualMetres),
            "residual_p90_m": .number(track.highResidualMetres),
            "residual_max_m": .number(track.worstResidualMetres),
            "scale": .number(track.tellsHeading ? track.scale : nil),
            "scale_sigma": .number(track.tellsHeading ? track.scaleSigma : nil),
        ]
    }

    /// What the IMU recorded, and whether it agrees with the camera's poses.
    static func motion(_ source: SessionSummary.MotionSource, _ inspection: Inspection) -> JSONValue {
        let attitude = inspection.attitude
        return [
            "source": .string(source.rawValue), "samples": .integer(inspection.motionSamples),
            "rate_hz": .number(inspection.motionRateHertz),
            "gravity_median_degrees": .number(inspection.gravity.medianDegrees),
            "gravity_contradicting_share": .number(inspection.gravity.contradictingShare),
            "attitude_direction": attitude.count == 0 ? .null : .string(attitude.direction.rawValue),
            "attitude_residual_g": .number(attitude.residual),
            "attitude_contradicting_share": .number(attitude.contradictingShare),
        ]
    }

    /// How high the fixes are above the terrain, or why that is not known.
    static func terrain(_ terrain: TerrainComparison?) -> JSONValue {
        guard let terrain else { return .null }
        return [
            "fixes": .integer(terrain.fixCount), "compared": .integer(terrain.comparedCount),
            "median_difference_m": .number(terrain.differences?.medianMetres),
            "p10_difference_m": .number(terrain.differences?.lowMetres),
            "p90_difference_m": .number(terrain.differences?.highMetres),
            "fixes_above": .string(terrain.reference?.rawValue), "vertical_datums": .strings(terrain.datums),
            "reason": .string(terrain.reason),
        ]
    }

    static func problems(_ diagnostics: Diagnostics) -> JSONValue {
        .array(
            diagnostics.entries.map { entry in
                [
                    "kind": .string(entry.kind.rawValue), "severity": .string(entry.kind.severity.rawValue),
                    "count": .integer(entry.count), "meaning": .string(entry.kind.explanation),
                    "examples": .array(entry.examples.map(problem)),
                ]
            }
        )
    }

    private static func problem(_ problem: Problem) -> JSONValue {
        [
            "file": .string(problem.file), "line": .integer(problem.line),
            "field": .string(problem.field), "expected": .string(problem.expected),
            "found": .string(problem.found),
        ]
    }
}
