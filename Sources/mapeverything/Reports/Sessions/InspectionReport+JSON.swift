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
            "generation": .integer(Int64(summary.generation)),
            "device": optional(summary.deviceModel), "os": optional(summary.osVersion),
            "epoch": SessionJSON.anchor(setup.anchor),
            "first_stamp_ns": .integer(setup.anchor.stamp(summary.firstTime)),
            "duration_s": .number(summary.durationSeconds), "frames": .integer(Int64(summary.frameCount)),
            "median_interval_s": summary.medianIntervalSeconds.map { .number($0) } ?? .null,
            "largest_gap_s": .number(summary.largestGapSeconds),
            "image_size": size(summary.sensorSize), "orientations": counts(summary.orientations),
            "orientation_changes": .integer(Int64(summary.orientationChanges)),
            "tracking": counts(
                Dictionary(uniqueKeysWithValues: summary.tracking.map { ($0.key.rawValue, $0.value) })
            ),
            "frames_with_image": .integer(Int64(inspection.framesWithImage)),
            "frames_with_depth": .integer(Int64(inspection.framesWithDepth)),
            "frames_with_relative_depth": .integer(Int64(inspection.framesWithRelativeDepth)),
            "depth_size": size(inspection.depthSizes.first), "metadata_depth_size": size(summary.metadataDepthSize),
            "relative_depth_size": size(inspection.relativeDepthSizes.first),
            "metadata_relative_depth_size": size(summary.metadataRelativeDepthSize),
            "valid_depth_share": .number(inspection.depth.valid),
            "confidence_shares": .array(inspection.depth.confidence.map { .number($0) }),
            "sampled_frames": .integer(Int64(inspection.depth.sampledFrames)),
            "imu": [
                "source": .string(summary.motionSource.rawValue),
                "samples": .integer(Int64(inspection.motionSamples)),
                "rate_hz": inspection.motionRateHertz.map { .number($0) } ?? .null,
                "gravity_median_degrees": inspection.gravity.medianDegrees.map { .number($0) } ?? .null,
                "gravity_contradicting_share": .number(inspection.gravity.contradictingShare),
                "attitude_direction": inspection.attitude.count == 0
                    ? .null : .string(inspection.attitude.direction.rawValue),
                "attitude_residual_g": inspection.attitude.residual.map { .number($0) } ?? .null,
                "attitude_contradicting_share": .number(inspection.attitude.contradictingShare),
            ],
            "gps_fixes": .integer(Int64(summary.location.count)),
            "georeference": SessionJSON.georeference(setup.georeference),
            "profile": .string(setup.plan.profile.name), "frames_policy": .string(setup.plan.profile.frames.rawValue),
            "topics": .array(inspection.topics.map(topic)), "absent": SessionJSON.absent(inspection.absent),
            "problems": SessionJSON.problems(inspection.diagnostics),
            "left_out": SessionJSON.counts(inspection.counts),
            "clouds": SessionJSON.clouds(setup, inspection.counts),
            "warnings": SessionJSON.warnings(setup.warnings),
        ]
    }

    private func topic(_ line: Inspection.TopicLine) -> JSONValue {
        let topic = line.statistics
        return [
            "name": .string(topic.name), "type": .string(topic.typeName),
            "frame_ids": .array(line.frameIDs.map { .string($0) }),
            "count": .integer(Int64(topic.count)), "rate_asked_hz": line.rateAskedHertz.map { .number($0) } ?? .null,
            "rate_hz": topic.rateHertz.map { .number($0) } ?? .null, "bytes": .integer(Int64(topic.bytes)),
            "bytes_are_estimated": .bool(line.isEstimated),
            "mbit_per_s": topic.megabitsPerSecond.map { .number($0) } ?? .null,
            "largest_gap_s": .number(Double(topic.largestGapNanoseconds) / 1e9),
        ]
    }

    private func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    private func size(_ size: GridSize?) -> JSONValue {
        size.map { [.integer(Int64($0.width)), .integer(Int64($0.height))] } ?? .null
    }

    private func counts(_ counts: [String: Int]) -> JSONValue {
        .object(
            JSONObject(
                counts.sorted { $0.key < $1.key }
                    .map { JSONObject.Member(key: $0.key, value: .integer(Int64($0.value))) }
            )
        )
    }
}
