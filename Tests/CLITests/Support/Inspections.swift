/// What `inspect --json` says of a bag.
struct BagInspection: Decodable {
    struct Topic: Decodable {
        var name: String
        var type: String
        var count: Int
        var rate_hz: Double?
        var largest_gap_s: Double?
    }

    struct File: Decodable {
        var name: String
        var messages: Int
        var bytes: Int
    }

    var kind: String
    var storage: String
    var messages: Int
    var first_stamp_ns: Int64?
    var last_stamp_ns: Int64?
    var custom_data: [String: String]
    var topics: [Topic]
    var files: [File]
    var warnings: [String]

    func count(_ topic: String) -> Int? { topics.first { $0.name == topic }?.count }
}

/// What `inspect --json` says of a session.
struct SessionInspection: Decodable {
    struct Topic: Decodable {
        var name: String
        var type: String
        var frame_ids: [String]
        var count: Int
        var rate_asked_hz: Double?
        var rate_hz: Double?
        var bytes: Int
        var bytes_are_estimated: Bool
        var largest_gap_s: Double
    }

    struct Epoch: Decodable {
        var offset_ns: Int64
        var source: String
    }

    struct Motion: Decodable {
        var source: String
        var samples: Int
        var rate_hz: Double?
        var gravity_median_degrees: Double?
    }

    struct Terrain: Decodable {
        var fixes: Int
        var compared: Int
        var median_difference_m: Double?
        var p10_difference_m: Double?
        var p90_difference_m: Double?
        var fixes_above: String?
        var vertical_datums: [String]
        var reason: String?
    }

    struct Absence: Decodable {
        var name: String
        var reason: String
    }

    struct Problem: Decodable {
        var kind: String
        var severity: String
        var count: Int
    }

    struct Georeference: Decodable {
        struct Heading: Decodable {
            var known: Bool
            var assumed: Bool
            var degrees: Double?
            var sigma_degrees: Double?
            var source: String
        }

        struct Origin: Decodable {
            var covariance: [Double?]
            var latitude: Double
            var height_m: Double
            var height_source: String
        }

        var heading: Heading
        var mode: String
        var method: String?
        var earth: Bool
        var reason: String?
        var origin: Origin?
    }

    var kind: String
    var format: String
    var georeference: Georeference
    var generation: Int?
    var device: String?
    var epoch: Epoch
    var first_stamp_ns: Int64
    var duration_s: Double
    var frames: Int
    var image_size: [Int]?
    var depth_size: [Int]?
    var orientations: [String: Int]
    var orientation_changes: Int
    var tracking: [String: Int]
    var frames_with_image: Int
    var frames_with_depth: Int
    var frames_with_relative_depth: Int
    var valid_depth_share: Double
    var confidence_shares: [Double]
    var imu: Motion
    var gps_fixes: Int
    var terrain: Terrain
    var topics: [Topic]
    var absent: [Absence]
    var problems: [Problem]

    func topic(_ name: String) -> Topic? { topics.first { $0.name == name } }
}

/// What `bag --json` and `replay --json` say of a run.
struct RunReport: Decodable {
    struct Topic: Decodable {
        var name: String
        var type: String
        var count: Int
        var bytes: Int
    }

    struct SinkTopic: Decodable {
        var name: String
        var written: Int
        var dropped: Int
        var unconfirmed: Int
        /// Of a connection only, as what follows.
        var confirmed: Int?
        var refused: Int?
        var unsent: Int?
        var thinned: Int?
        var kept_points: Int?
        var offered_points: Int?
    }

    struct Sink: Decodable {
        var topics: [SinkTopic]
        var interruptions: Int?
        var disconnected_s: Double?
        var resent: Int?
        var resent_after_confirmation: Int?
        var warnings: [String]
    }

    var captured_s: Double
    var interrupted: Bool
    var topics: [Topic]
    var sinks: [Sink]
}
