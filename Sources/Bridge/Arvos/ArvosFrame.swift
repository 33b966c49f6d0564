import Messages
package import Text
package import Translation

/// A message of Arvos, text or binary, with its keys merged: everything that its two SDKs and the app put into one.
///
/// Text messages are JSON objects. Binary ones are `[u32 LE n][n bytes of JSON][payload]`; the JSON has its keys flat,
/// or in `metadata` as base64 or as an array of bytes, or both.
package struct ArvosMessage: Sendable, Equatable {
    package var type: String
    package var fields: JSONObject
    package var payload: [UInt8] = []
    /// Bytes after the payload that `dataSize` announces: another frame, which readers of Arvos do not expect there.
    package var surplusBytes = 0

    package subscript(key: String) -> JSONValue? { fields[key] }
}

/// Why a message is no sound message of Arvos; the next one is read as if nothing had happened.
package struct ArvosProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        case tooShort
        case headerLength
        case headerText
        case metadata
        case unknownType
        case missingKey
        case badValue
        case dataSize
        case surplus
        case otherProtocol
    }

    package var kind: Kind
    package var expected: String
    package var found: String

    package init(_ kind: Kind, expected: String, found: String) {
        self.kind = kind
        self.expected = expected
        self.found = found
    }

    package var description: String { "expected \(expected), found \(found)" }
}

package enum ArvosParser {
    /// Readers of both SDKs close a connection above this (the default of Python's websockets).
    package static let maximumMessageBytes = 1 << 20
    private static let maximumHeaderBytes = 64 << 10
    private static let maximumValues = 4096

    /// Reads a text message.
    package static func text(_ bytes: [UInt8]) throws(ArvosProblem) -> ArvosMessage {
        let fields = try object(bytes[...], .headerText)
        return ArvosMessage(type: try type(fields), fields: fields)
    }

    /// Reads a binary message; no length is believed before it is compared with what is there.
    package static func binary(_ bytes: [UInt8]) throws(ArvosProblem) -> ArvosMessage {
        guard bytes.count >= 4 else {
            throw ArvosProblem(.tooShort, expected: "4 bytes of length", found: "\(bytes.count)")
        }
        let length = bytes[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - 4, length <= maximumHeaderBytes else {
            let most = min(bytes.count - 4, maximumHeaderBytes)
            throw ArvosProblem(.headerLength, expected: "a header of at most \(most) bytes", found: "\(length)")
        }
        let outer = try object(bytes[4..<4 + length], .headerText)
        let fields = try merged(outer)
        let rest = bytes.count - 4 - length
        var size = rest
        if let claimed = fields["dataSize"] {
            guard let value = claimed.integer, value >= 0, value <= Int64(rest) else {
                throw ArvosProblem(
                    .dataSize,
                    expected: "dataSize of at most the \(rest) bytes that follow the header",
                    found: claimed.text()
                )
            }
            size = Int(value)
        }
        let start = 4 + length
        return ArvosMessage(
            type: try type(fields),
            fields: fields,
            payload: Array(bytes[start..<start + size]),
            surplusBytes: rest - size
        )
    }

    private static func type(_ fields: JSONObject) throws(ArvosProblem) -> String {
        if fields["op"] != nil, fields["sensorType"] == nil {
            throw ArvosProblem(
                .otherProtocol,
                expected: "a message of Arvos",
                found: "one of rosbridge, which `replay --url` sends and `record` without --arvos receives"
            )
        }
        guard let type = (fields["type"] ?? fields["sensorType"])?.string else {
            throw ArvosProblem(.unknownType, expected: "a type or sensorType that is a text", found: "none")
        }
        return type
    }

    private static func object(
        _ bytes: ArraySlice<UInt8>,
        _ kind: ArvosProblem.Kind
    ) throws(ArvosProblem) -> JSONObject {
        do throws(JSONError) {
            let value = try JSONValue.parse(Array(bytes), valueLimit: maximumValues)
            if let object = value.object { return object }
        } catch {
            throw ArvosProblem(kind, expected: "a JSON object", found: "\(error)")
        }
        throw ArvosProblem(kind, expected: "a JSON object", found: "another value")
    }

    /// Flat keys first, then those of `metadata`.
    private static func merged(_ outer: JSONObject) throws(ArvosProblem) -> JSONObject {
        guard let metadata = outer["metadata"] else { return outer }
        var bytes: [UInt8]?
        switch metadata {
        case .string(let text): bytes = Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
        case .array(let values):
            let numbers = values.map { $0.integer.flatMap { UInt8(exactly: $0) } }
            bytes = numbers.contains(nil) ? nil : numbers.compactMap { $0 }
        case .object(let inner): return JSONObject(inner.members + outer.members)
        default: break
        }
        guard let bytes else {
            throw ArvosProblem(.metadata, expected: "base64 or an array of bytes", found: "another metadata")
        }
        let inner = try object(bytes[...], .metadata)
        // The last of two equal keys counts.
        return JSONObject(inner.members + outer.members)
    }
}

/// Writes messages of Arvos as both SDKs read them: keys flat, with `type` and `sensorType`, nothing null.
package enum ArvosWriter {
    /// A text message.
    package static func text(_ type: String, _ members: [(String, JSONValue)]) -> [UInt8] {
        Array(JSONValue.object(head(type) + members).text().utf8)
    }

    /// A binary message: `[u32 LE n][n bytes of JSON][payload]`.
    package static func binary(_ type: String, _ members: [(String, JSONValue)], _ payload: [UInt8]) -> [UInt8] {
        let size: [(String, JSONValue)] = [("dataSize", .integer(payload.count))]
        let header = Array(JSONValue.object(head(type) + members + size).text().utf8)
        let length = UInt32(clamping: header.count)
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        bytes.reserveCapacity(4 + header.count + payload.count)
        bytes += header
        bytes += payload
        return bytes
    }

    private static func head(_ type: String) -> [(String, JSONValue)] {
        [("type", .string(type)), ("sensorType", .string(type))]
    }
}

extension ArvosMessage {
    /// A finite number.
    func number(_ key: String) throws(ArvosProblem) -> Double {
        guard let value = fields[key] else { throw ArvosProblem(.missingKey, expected: key, found: "none") }
        guard let number = value.number, number.isFinite else {
            throw ArvosProblem(.badValue, expected: "\(key) that is a number", found: value.text())
        }
        return number
    }

    /// So many finite numbers.
    func numbers(_ key: String, _ count: Int) throws(ArvosProblem) -> [Double] {
        guard let value = fields[key] else { throw ArvosProblem(.missingKey, expected: key, found: "none") }
        let numbers = value.array?.compactMap(\.number).filter(\.isFinite) ?? []
        guard numbers.count == count, value.array?.count == count else {
            throw ArvosProblem(.badValue, expected: "\(key) of \(count) numbers", found: value.text())
        }
        return numbers
    }

    /// Nil where the key is missing or null.
    func optionalNumbers(_ key: String, _ count: Int) throws(ArvosProblem) -> [Double]? {
        guard let value = fields[key], !value.isNull else { return nil }
        return try numbers(key, count)
    }

    /// Nanoseconds of the phone's clock.
    func timestamp() throws(ArvosProblem) -> Int64 {
        guard let value = fields["timestampNs"] else {
            throw ArvosProblem(.missingKey, expected: "timestampNs", found: "none")
        }
        guard let nanoseconds = value.integer, nanoseconds >= 0 else {
            throw ArvosProblem(.badValue, expected: "timestampNs that is an integer above 0", found: value.text())
        }
        return nanoseconds
    }
}

/// The streams of Arvos that a recording has something for.
package enum ArvosStream: String, Sendable, CaseIterable {
    case camera
    case depth
    case pose
    case imu
    case gps

    /// The parts of a recording that the app's presets send.
    package enum Preset: String, Sendable, CaseIterable {
        case rgbd
        case vi
        case lidar
        case imu
        case full
        case mapping

        package var streams: Set<ArvosStream> {
            switch self {
            case .rgbd: [.camera, .depth]
            case .vi: [.camera, .imu]
            // The app's own texts name pose and IMU for it.
            case .lidar: [.depth, .pose, .imu]
            case .imu: [.imu]
            case .full: Set(ArvosStream.allCases)
            case .mapping: [.pose, .imu]
            }
        }

        /// Finds a mode by the name that a client's `change_mode` gives, such as "RGBD Camera" or "full".
        package init?(mode: String) {
            let plain = mode.lowercased().filter { $0.isLetter }
            switch plain {
            case "rgbd", "rgbdcamera": self = .rgbd
            case "vi", "visualinertial": self = .vi
            case "lidar", "lidarscanner": self = .lidar
            case "imu", "imuonly": self = .imu
            case "full", "fullsensor": self = .full
            case "mapping": self = .mapping
            default: return nil
            }
        }
    }
}

extension ArvosStream {
    /// The topics of a session that it is made of.
    package var kinds: Set<TopicKind> {
        switch self {
        case .camera: [.cameraImage, .cameraInfo]
        case .depth: [.lidarCloud]
        case .pose: [.pose]
        case .imu: [.imu]
        case .gps: [.locationFix, .locationMetadata]
        }
    }
}
