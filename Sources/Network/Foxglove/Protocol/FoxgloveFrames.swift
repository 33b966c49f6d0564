/// Binary frames of Foxglove's WebSocket protocol, little endian (its specification of 2025; the SDK 0.30 sends the same).
package enum FoxgloveFrames {
    /// The header before the CDR of a message: 0x01, the subscription, and the time in nanoseconds since 1970.
    package static func messageHead(subscription: UInt32, timeNanoseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(13)
        bytes.append(0x01)
        append(subscription, to: &bytes)
        append(UInt64(bitPattern: timeNanoseconds), to: &bytes)
        return bytes
    }

    /// 0x02: the time of what follows.
    package static func time(_ nanoseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = [0x02]
        append(UInt64(bitPattern: nanoseconds), to: &bytes)
        return bytes
    }

    /// 0x05: how the playback stands.
    package static func state(_ state: FoxglovePlaybackState) -> [UInt8] {
        var bytes: [UInt8] = [0x05, state.status.rawValue]
        append(UInt64(bitPattern: state.timeNanoseconds), to: &bytes)
        append(Float(state.speed).bitPattern, to: &bytes)
        bytes.append(state.didSeek ? 1 : 0)
        append(UInt32(clamping: state.requestID.utf8.count), to: &bytes)
        bytes += state.requestID.utf8
        return bytes
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}

/// How a playback stands, as clients are told.
package struct FoxglovePlaybackState: Sendable, Hashable {
    package enum Status: UInt8, Sendable {
        case playing = 0
        case paused = 1
        case buffering = 2
        case ended = 3
    }

    package var status: Status
    package var timeNanoseconds: Int64
    package var speed: Double
    package var didSeek = false
    /// That of the request it answers; empty for none.
    package var requestID = ""

    package init(status: Status, timeNanoseconds: Int64, speed: Double) {
        self.status = status
        self.timeNanoseconds = timeNanoseconds
        self.speed = speed
    }
}

/// A client's request for the playback, applied in this order: the place, the speed, playing or pausing.
package struct FoxglovePlaybackRequest: Sendable, Hashable {
    package var plays: Bool
    package var speed: Double
    package var seekNanoseconds: Int64?
    package var requestID: String

    private static let longestID = 1000

    /// The request that a parameter stands for.
    init(plays: Bool, speed: Double, seekNanoseconds: Int64) {
        self.plays = plays
        self.speed = speed
        self.seekNanoseconds = seekNanoseconds
        requestID = ""
    }

    /// - Parameter bytes: A frame without its first byte, which was 0x03.
    /// - Throws: a ``FoxgloveProblem`` for what is no request.
    package init(_ bytes: ArraySlice<UInt8>) throws(FoxgloveProblem) {
        var rest = bytes
        func take(_ count: Int) throws(FoxgloveProblem) -> UInt64 {
            guard rest.count >= count else {
                let found = "expected 18 bytes, found \(bytes.count)"
                throw FoxgloveProblem("Invalid message: playback control request: \(found)")
            }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let command = try take(1)
        guard command <= 1 else { throw FoxgloveProblem("Invalid message: playback command \(command)") }
        plays = command == 0
        speed = Double(Float(bitPattern: UInt32(truncatingIfNeeded: try take(4))))
        let hasSeek = try take(1) != 0
        let place = try take(8)
        seekNanoseconds = hasSeek ? Int64(clamping: place) : nil
        let length = try take(4)
        guard rest.count >= length else {
            throw FoxgloveProblem("Invalid message: request id: expected \(length) bytes, found \(rest.count)")
        }
        // All clients are told of it.
        guard length <= Self.longestID else {
            throw FoxgloveProblem(
                "Invalid message: request id: expected at most \(Self.longestID) bytes, found \(length)"
            )
        }
        guard let requestID = String(validating: rest.prefix(Int(length)), as: UTF8.self) else {
            throw FoxgloveProblem("Invalid message: request id: expected UTF-8, found other bytes")
        }
        self.requestID = requestID
    }
}

/// A problem with a request; the client is told, and stays connected.
package struct FoxgloveProblem: Error, Hashable {
    /// The level of a status: 0 for information, 1 for a warning, 2 for an error.
    package var level = 2
    package var message: String

    package init(_ message: String, level: Int = 2) { (self.message, self.level) = (message, level) }
}
