package import Messages
import Perception
import Recording
import Sessions
import Text

/// `/mapping/pointcloud/lidar`: coloured and metric.
struct LidarCloudTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.lidarCloud)
    let rateHertz: Double?
    private let conventions: Conventions

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.lidarCloud, delivery: .latest) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.lidarCloud)
        conventions = context.conventions
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let cloud = item.cloud, cloud.count > 0 else { return }
        let header = Header(stampNanoseconds: stamp, frameID: conventions.cloudFrameName)
        let colour = conventions.cloudColour
        let message = pointCloud(cloud.packed, count: cloud.count, header: header, colour: colour)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// The relative cloud of a monocular model, and the calibration that makes it metric: never one without the other.
struct RelativeCloudTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame(.relativeCloud)
    let rateHertz: Double?
    private let cloud: Topic?
    private let calibration: Topic?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        cloud = context.topic(.relativeCloud, delivery: .latest)
        calibration = context.topic(.relativeCalibration)
        topics = [calibration, cloud].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.relativeCloud)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame, let relative = item.relative else { return }
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.camera)
        if let calibration {
            let message = CalibrationMessage.make(relative, frame: frame, header: header, context)
            batch.append(StampedMessage(topic: calibration, timeNanoseconds: stamp, message: message))
        }
        if let cloud, relative.cloud.count > 0 {
            let (points, colour) = (relative.cloud, context.conventions.cloudColour)
            let message = pointCloud(points.packed, count: points.count, header: header, colour: colour)
            batch.append(StampedMessage(topic: cloud, timeNanoseconds: stamp, message: message))
        }
    }
}

/// A PointCloud2 of packed points: x, y, z and rgb, 16 bytes each.
///
/// `rgb` is the float that PCL and RViz expect, whose bits are 0x00RRGGBB; the phone app calls the same bytes UINT32.
package func pointCloud(
    _ packed: [UInt8],
    count: Int,
    header: Header,
    colour: CloudColour = .float32,
    isDense: Bool = true
) -> PointCloud2 {
    var message = PointCloud2()
    message.header = header
    message.height = 1
    message.width = UInt32(clamping: count)
    message.fields = zip(["x", "y", "z", "rgb"], UInt32(0)...).map { name, place in
        let datatype = name == "rgb" && colour == .uint32 ? PointField.uint32 : PointField.float32
        return PointField(name: name, offset: place * 4, datatype: datatype, count: 1)
    }
    message.pointStep = UInt32(PointCloud.bytesPerPoint)
    message.rowStep = message.pointStep * message.width
    message.data = packed
    message.isDense = isDense
    return message
}

/// The message that says how a relative cloud becomes metric: `metric_depth_m = scale * relative_depth + offset`.
enum CalibrationMessage {
    static func make(
        _ relative: RelativeResult,
        frame: FrameReference,
        header: Header,
        _ context: SourceContext
    ) -> DepthAnythingCalibration {
        let fit = relative.calibration
        var message = DepthAnythingCalibration()
        message.header = header
        message.schemaVersion = 1
        message.source = context.summary.relativeDepthModel ?? "monocular_relative_depth"
        message.relativePointcloudTopic = context.naming.name(.relativeCloud)
        message.overlayMeshSource = ""
        message.frameID = header.frameID
        message.relativeDepthWidth = UInt32(clamping: relative.gridSize.width)
        message.relativeDepthHeight = UInt32(clamping: relative.gridSize.height)
        message.imageWidth = UInt32(clamping: frame.intrinsics.width)
        message.imageHeight = UInt32(clamping: frame.intrinsics.height)
        message.scale = fit.scale
        message.offset = fit.offset
        message.equation = "metric_depth_m = scale * relative_depth + offset"
        message.relativeDepthUnits = fit.relativeDepthUnits
        message.metricDepthUnits = "m"
        message.calibrationSource = "lidar_\(fit.method.wireName)"
        message.metadataJSON = metadata(fit, relative.grid)
        return message
    }

    private static func metadata(_ fit: RelativeDepthCalibration, _ grid: GridCalibration?) -> String {
        let value: JSONValue = [
            "model": .string(fit.model.rawValue),
            "method": .string(fit.method.wireName),
            "input": .string(fit.kind.rawValue),
            "relative_depth": .string(fit.relativeDepthFormula),
            "inverse_shift": .number(fit.inverseShift),
            "sample_count": .integer(Int64(fit.sampleCount)),
            "inlier_count": .integer(Int64(fit.inlierCount)),
            "inlier_ratio": .number(fit.inlierRatio),
            "rmse_m": .number(fit.rmseMetres),
            "median_absolute_error_m": .number(fit.medianAbsoluteErrorMetres),
            "coverage": .number(fit.coverage),
        ]
        // Of another line it would say nothing of this one.
        guard let grid, grid.line == fit, case .object(var object) = value else { return value.text() }
        object.members.append(JSONObject.Member(key: "grid", value: self.grid(grid)))
        return JSONValue.object(object).text()
    }

    /// How the cloud of metric depth was made, where that is of relative depth.
    private static func grid(_ grid: GridCalibration) -> JSONValue {
        func numbers(_ values: [Float]) -> JSONValue { .array(values.map { .number(Double($0)) }) }
        return [
            "equation": .string("metric = scale * curve(line(value)) + shift"),
            "quantity": .string(grid.line.model == .inverseDepth ? "1/m" : "m"),
            "columns": .integer(Int64(GridCalibration.columns)), "rows": .integer(Int64(GridCalibration.rows)),
            "scales": numbers(grid.scales), "shifts": numbers(grid.shifts),
            "knots": numbers(grid.knots), "knot_values": numbers(grid.knotValues),
            "rmse_m": .number(grid.rmseMetres),
        ]
    }
}

extension CalibrationParameters.Method {
    fileprivate var wireName: String {
        switch self {
        case .robust: "robust_line_fit"
        case .leastSquares: "weighted_least_squares"
        }
    }
}

extension RelativeDepthCalibration {
    /// The unknowns up to which the published relative depth is known.
    fileprivate var relativeDepthUnits: String {
        switch (model, kind) {
        case (.inverseDepth, _): "up_to_scale"
        case (.straightLine, .depth): "up_to_scale_and_offset"
        case (.straightLine, .inverseDepth): "inverse_up_to_scale_and_offset"
        }
    }

    /// How the published relative depth follows from the model's values.
    fileprivate var relativeDepthFormula: String {
        switch model {
        case .inverseDepth: "1 / (value + inverse_shift)"
        case .straightLine: "value"
        }
    }
}
