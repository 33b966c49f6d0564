import Glibc

/// One entry point that has to survive every input.
///
/// Only documented errors may come out: whatever else ends the process is found by libFuzzer, and so is a property that
/// does not hold, by ``require(_:_:)``.
package struct FuzzTarget: Sendable {
    package var name: String
    /// Inputs to begin with: small, and together touching every branch that matters.
    package var seeds: @Sendable () -> [[UInt8]]
    /// Byte strings that mutations insert.
    package var dictionary: [String]
    /// Inputs are no longer than this: longer ones take more time than they show.
    package var maximumBytes: Int
    package var run: @Sendable (UnsafeRawBufferPointer) -> Void

    package init(
        name: String,
        seeds: @escaping @Sendable () -> [[UInt8]],
        dictionary: [String] = [],
        maximumBytes: Int = 4096,
        run: @escaping @Sendable (UnsafeRawBufferPointer) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.dictionary = dictionary
        self.maximumBytes = maximumBytes
        self.run = run
    }

    package static let all = others + models + recordings

    private static let others: [FuzzTarget] = [
        .json, .messageCDR, .messageJSON, .messageText, .dynamicCDR, .dynamicJSON, .mcap, .mcapCheck,
        .webSocketClient, .webSocketServer, .webSocketDeflate, .webSocketExtensions, .webSocketFrames,
        .webSocketHandshake, .webSocketInflate, .rosbridgeOperations, .rosbridgeReply, .rosbridgeFragments,
        .certificateNames, .jpeg, .png, .tiff, .zip, .tar, .gtx, .lzfse, .exr, .frames, .motionSamples, .motionTable,
        .locations, .headings, .radioObservations, .indoorPositions,
        .sessionMetadata, .tileManifest, .mbtiles, .depth, .bagMetadata, .qosText, .rosbridgeRow, .checkContent,
        .compression,
        .parquet, .sqlite, .sqlitePages, .sqliteCheck, .profile, .arvosMessages, .foxgloveFrames, .tagMaps, .poses,
        .ddsNames, .floorPlan,
    ]

    /// The dictionary in libFuzzer's form, one quoted string a line.
    package var dictionaryText: String {
        dictionary.map { word in
            let escaped = word.utf8.map { byte -> String in
                let isPlain = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                guard !isPlain else { return String(UnicodeScalar(byte)) }
                return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "\"\(escaped.joined())\"\n"
        }.joined()
    }
}

/// Ends the process, and says why, if a property does not hold for an input.
func require(_ condition: @autoclosure () -> Bool, _ what: @autoclosure () -> String) {
    if condition() { return }
    let text = Array("fuzz: does not hold: \(what())\n".utf8)
    _ = write(2, text, text.count)
    abort()
}
