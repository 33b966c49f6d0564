import JSONText
import Playback
import Recording
import Replay
import Sessions

extension InspectionReport {
    /// Everything of the text, and the numbers behind it.
    var json: JSONValue {
        let summary = setup.session.summary
        return [
            "kind": .string("session"), "session": .string(summary.name), "format": .string(summary.format),
            "generation": .integer(summary.generation),
            "device": .string(summary.deviceModel), "os": .string(summary.osVersion),
            "epoch": SessionJSON.anchor(setup.anchor),
            "first_stamp_ns": .integer(setup.anchor.stamp(summary.firstTime)),
            "duration_s": .number(summary.durationSeconds), "frames": .integer(summary.frameCount),
            "median_interval_s": .number(summary.medianIntervalSeconds),
            "largest_gap_s": .number(summary.largestGapSeconds),
            "image_size": size(summary.sensorSize),
            "orientations": .object(sorted: summary.orientations) { .integer($0) },
            "orientation_changes": .integer(summary.orientationChanges),
            "tracking": .object(
                sorted: Dictionary(uniqueKeysWithValues: summary.tracking.map { ($0.key.rawValue, $0.value) })
            ) { .integer($0) },
            "frames_with_image": .integer(inspection.framesWithImage),
            "frames_with_depth": .integer(inspection.framesWithDepth),
            "frames_with_relative_depth": .integer(inspection.framesWithRelativeDepth),
            "depth_size": size(inspection.depthSizes.first), "metadata_depth_size": size(summary.metadataDepthSize),
            "relative_depth_size": size(inspection.relativeDepthSizes.first),
            "metadata_relative_depth_size": size(summary.metadataRelativeDepthSize),
            "valid_depth_share": .number(inspection.depth.valid),
            "confidence_shares": .array(inspection.depth.confidence.map { .number($0) }),
            "sampled_frames": .integer(inspection.depth.sampledFrames),
            "imu": [
                "source": .string(summary.motionSource.rawValue),
                "samples": .integer(inspection.motionSamples),
                "rate_hz": .number(inspection.motionRateHertz),
                "gravity_median_degrees": .number(inspection.gravity.medianDegrees),
                "gravity_contradicting_share": .number(inspection.gravity.contradictingShare),
                "attitude_direction": inspection.attitude.count == 0
                    ? .null : .string(inspection.attitude.direction.rawValue),
                "attitude_residual_g": .number(inspection.attitude.residual),
                "attitude_contradicting_share": .number(inspection.attitude.contradictingShare),
            ],
            "gps_fixes": .integer(summary.location.count),
            "georeference": SessionJSON.georeference(setup.georeference),
            "profile": .string(setup.plan.profile.name), "frames_policy": .string(setup.plan.profile.frames.rawValue),
            "topics": topics.json, "absent": SessionJSON.absent(inspection.absent),
            "problems": SessionJSON.problems(inspection.diagnostics),
            "left_out": SessionJSON.counts(inspection.counts),
            "clouds": SessionJSON.clouds(setup, inspection.counts),
            "warnings": SessionJSON.warnings(setup.warnings),
        ]
    }

    private func size(_ size: GridSize?) -> JSONValue {
        size.map { [.integer($0.width), .integer($0.height)] } ?? .null
    }
}
