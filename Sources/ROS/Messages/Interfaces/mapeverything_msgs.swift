/// Counters of a sender's queue.
package struct PublisherStats: Message {
    package static var typeName: String { "mapeverything_msgs/msg/PublisherStats" }

    package var capacity: UInt32 = 0
    package var depth: UInt32 = 0
    package var inFlight: UInt32 = 0
    package var sentMessages: UInt64 = 0
    package var droppedMessages: UInt64 = 0
    package var retriedMessages: UInt64 = 0
    package var failedMessages: UInt64 = 0
    package var lastError: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("capacity", &capacity)
        try visitor.field("depth", &depth)
        try visitor.field("in_flight", &inFlight)
        try visitor.field("sent_messages", &sentMessages)
        try visitor.field("dropped_messages", &droppedMessages)
        try visitor.field("retried_messages", &retriedMessages)
        try visitor.field("failed_messages", &failedMessages)
        try visitor.field("last_error", &lastError)
    }
}

/// The identity and the state of a mapping session; structured parts are JSON texts.
package struct MappingSession: Message {
    package static var typeName: String { "mapeverything_msgs/msg/MappingSession" }

    package var header = Header()
    package var event: String = ""
    package var sessionID: String = ""
    package var state: String = ""
    package var recorderURL: String = ""
    package var bridgeTransport: String = ""
    package var enabledStreams: [String] = []
    package var advertisedTopics: String = ""
    package var radioChannels: String = ""
    package var radioPlatformRestrictions: String = ""
    package var radioObservationSchema: String = ""
    package var meshSnapshotSchema: String = ""
    package var streamPayloadMetrics: String = ""
    package var optionalGeoProviderConfigurations: String = ""
    package var currentWifiTelemetry: String = ""
    package var bleBeaconTelemetry: String = ""
    package var networkPathDiagnostics: String = ""
    package var recorderEndpointProbe: String = ""
    package var localBagStorage: String = ""
    package var startedAt: String = ""
    package var endedAt: String = ""
    package var app: String = ""
    package var device: String = ""
    package var publishQueue = PublisherStats()
    package var lastError: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("event", &event)
        try visitor.field("session_id", &sessionID)
        try visitor.field("state", &state)
        try visitor.field("recorder_url", &recorderURL)
        try visitor.field("bridge_transport", &bridgeTransport)
        try visitor.field("enabled_streams", &enabledStreams)
        try visitor.field("advertised_topics", &advertisedTopics)
        try visitor.field("radio_channels", &radioChannels)
        try visitor.field("radio_platform_restrictions", &radioPlatformRestrictions)
        try visitor.field("radio_observation_schema", &radioObservationSchema)
        try visitor.field("mesh_snapshot_schema", &meshSnapshotSchema)
        try visitor.field("stream_payload_metrics", &streamPayloadMetrics)
        try visitor.field("optional_geo_provider_configurations", &optionalGeoProviderConfigurations)
        try visitor.field("current_wifi_telemetry", &currentWifiTelemetry)
        try visitor.field("ble_beacon_telemetry", &bleBeaconTelemetry)
        try visitor.field("network_path_diagnostics", &networkPathDiagnostics)
        try visitor.field("recorder_endpoint_probe", &recorderEndpointProbe)
        try visitor.field("local_bag_storage", &localBagStorage)
        try visitor.field("started_at", &startedAt)
        try visitor.field("ended_at", &endedAt)
        try visitor.field("app", &app)
        try visitor.field("device", &device)
        try visitor.field("publish_queue", &publishQueue)
        try visitor.field("last_error", &lastError)
    }
}

/// How relative depths of one frame become metres.
package struct DepthAnythingCalibration: Message {
    package static var typeName: String { "mapeverything_msgs/msg/DepthAnythingCalibration" }

    package var header = Header()
    package var schemaVersion: UInt32 = 0
    package var source: String = ""
    package var relativePointcloudTopic: String = ""
    package var overlayMeshSource: String = ""
    package var frameID: String = ""
    package var relativeDepthWidth: UInt32 = 0
    package var relativeDepthHeight: UInt32 = 0
    package var imageWidth: UInt32 = 0
    package var imageHeight: UInt32 = 0
    package var scale: Double = 0
    package var offset: Double = 0
    package var equation: String = ""
    package var relativeDepthUnits: String = ""
    package var metricDepthUnits: String = ""
    package var calibrationSource: String = ""
    package var metadataJSON: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("schema_version", &schemaVersion)
        try visitor.field("source", &source)
        try visitor.field("relative_pointcloud_topic", &relativePointcloudTopic)
        try visitor.field("overlay_mesh_source", &overlayMeshSource)
        try visitor.field("frame_id", &frameID)
        try visitor.field("relative_depth_width", &relativeDepthWidth)
        try visitor.field("relative_depth_height", &relativeDepthHeight)
        try visitor.field("image_width", &imageWidth)
        try visitor.field("image_height", &imageHeight)
        try visitor.field("scale", &scale)
        try visitor.field("offset", &offset)
        try visitor.field("equation", &equation)
        try visitor.field("relative_depth_units", &relativeDepthUnits)
        try visitor.field("metric_depth_units", &metricDepthUnits)
        try visitor.field("calibration_source", &calibrationSource)
        try visitor.field("metadata_json", &metadataJSON)
    }
}

/// A triangle mesh at a time, as packed bytes.
package struct MeshSnapshot: Message {
    package static var typeName: String { "mapeverything_msgs/msg/MeshSnapshot" }

    package var header = Header()
    package var schemaVersion: UInt32 = 0
    package var snapshotID: String = ""
    package var source: String = ""
    package var frameID: String = ""
    package var anchorCount: UInt32 = 0
    package var vertexCount: UInt32 = 0
    package var triangleCount: UInt32 = 0
    package var originalVertexCount: UInt32 = 0
    package var originalTriangleCount: UInt32 = 0
    package var isTruncated: Bool = false
    package var originalPayloadBytes: UInt32 = 0
    package var publishedPayloadBytes: UInt32 = 0
    package var compression: String = ""
    package var vertexEncoding: String = ""
    package var vertexStrideBytes: UInt32 = 0
    package var vertexData: [UInt8] = []
    package var indexEncoding: String = ""
    package var indexStrideBytes: UInt32 = 0
    package var indexData: [UInt8] = []
    package var metadataJSON: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("schema_version", &schemaVersion)
        try visitor.field("snapshot_id", &snapshotID)
        try visitor.field("source", &source)
        try visitor.field("frame_id", &frameID)
        try visitor.field("anchor_count", &anchorCount)
        try visitor.field("vertex_count", &vertexCount)
        try visitor.field("triangle_count", &triangleCount)
        try visitor.field("original_vertex_count", &originalVertexCount)
        try visitor.field("original_triangle_count", &originalTriangleCount)
        try visitor.field("is_truncated", &isTruncated)
        try visitor.field("original_payload_bytes", &originalPayloadBytes)
        try visitor.field("published_payload_bytes", &publishedPayloadBytes)
        try visitor.field("compression", &compression)
        try visitor.field("vertex_encoding", &vertexEncoding)
        try visitor.field("vertex_stride_bytes", &vertexStrideBytes)
        try visitor.field("vertex_data", &vertexData)
        try visitor.field("index_encoding", &indexEncoding)
        try visitor.field("index_stride_bytes", &indexStrideBytes)
        try visitor.field("index_data", &indexData)
        try visitor.field("metadata_json", &metadataJSON)
    }
}
