import Maps
import Perception
import Recording
import Sessions

/// Where a bag comes from, for its custom data: no machine, no path, nothing that differs between two equal runs.
enum BagProvenance {
    /// The key of the turns that images are stored in, which the app's frame names do not tell.
    static let imageTurns = "image_turns"

    static func make(
        plan: ReplayPlan,
        summary: SessionSummary,
        anchor: EpochAnchor,
        georeference: Georeference
    ) -> [String: String] {
        var values: [String: String] = [:]
        func set(_ key: String, _ value: String?) {
            if let value { values["mapeverything.\(key)"] = value }
        }
        set("version", plan.toolVersion)
        set("profile", plan.profile.name)
        set("frames", plan.profile.axes.rawValue)
        set("session", summary.name)
        set("device", summary.deviceModel)
        set("device_os", summary.osVersion)
        set("epoch_offset_ns", "\(anchor.offsetNanoseconds)")
        set("epoch_source", anchor.source.rawValue)
        set("assumed_frames_per_second", summary.assumedFramesPerSecond.map { "\($0)" })
        set("stamp", plan.stamp.rawValue)
        set("session_frames", "\(summary.frameCount)")
        set("poses", summary.poseOrigin)
        set(imageTurns, plan.profile.axes == .app ? turns(summary) : nil)
        set("images", summary.hasImages ? summary.imageSource : nil)
        set("depth", summary.depthOrigin)
        set("calibration", summary.hasRelativeDepth ? plan.calibration.rawValue : nil)
        set("heading", georeference.heading.text)
        set("georeferenced", georeference.origin == nil ? nil : "true")
        set("georeference", georeference.mode.rawValue)
        set("origin", georeference.method)
        set("origin_accuracy_m", georeference.origin.map { "\(($0.horizontalAccuracyMetres * 10).rounded() / 10)" })
        set("origin_height", georeference.origin?.heightSource)
        let conventions = plan.profile.conventions
        set("conventions.imu", conventions.imu.rawValue)
        set("conventions.location", conventions.location.rawValue)
        set("conventions.cloud_colour", conventions.cloudColour.rawValue)
        set("conventions.cloud_frame", conventions.cloudFrame.rawValue)
        set("conventions.image_format", conventions.imageFormat.rawValue)
        set("conventions.relative_depth", conventions.relativeDepth.rawValue)
        let clouds = plan.profile.clouds
        set("clouds.voxel_size_m", clouds.voxelSizeMetres.map { "\($0)" } ?? "none")
        set("clouds.voxel_point", clouds.voxelPoint.rawValue)
        set("clouds.depth_m", "\(clouds.minimumDepthMetres) to \(clouds.maximumDepthMetres)")
        set("clouds.min_confidence", "\(clouds.minimumConfidence)")
        set("clouds.edge_filter", "\(clouds.edgeFilter)")
        set("clouds.outlier", outlierText(clouds))
        let hasMap = !plan.profile.topics.keys.filter(TopicKind.ofSurface.contains).isEmpty
        set("map.voxel_size_m", hasMap ? "\(plan.profile.map.voxelSizeMetres)" : nil)
        return values
    }

    /// The turns that frames declare, such as `landscapeRight portrait`.
    private static func turns(_ summary: SessionSummary) -> String {
        let declared = summary.orientations.keys.map { ImageOrientation(rawValue: $0) ?? .landscapeRight }
        return Set(declared.map(\.rawValue)).sorted().joined(separator: " ")
    }
}

/// The filter in words that do not depend on names in the code.
private func outlierText(_ clouds: CloudParameters) -> String {
    switch clouds.outlierFilter {
    case .off: "off"
    case .neighbours(let minimum, _):
        "neighbours, at least \(minimum) in voxels of \(clouds.neighbourhoodSizeMetres ?? 0) m"
    case .radius(_, let minimum): "radius \(clouds.outlierRadiusMetres ?? 0) m, at least \(minimum)"
    }
}
