import Rosbridge
import Testing
import Text

/// Where a fragment begins and ends, to the byte.
@Suite("Cuts of fragments")
struct FragmenterCutTests {
    private func slices(_ text: String, limit: Int = 10_000) throws -> [String] {
        try Fragmenter(maximumFrameLength: limit).fragments(of: Array(text.utf8), id: "i").map { frame in
            try #require(JSONValue.parse(frame)["data"]?.string)
        }
    }

    @Test("an op is cut after its o, but for the operation's own")
    func nestedOperations() throws {
        #expect(
            try slices(#"{"op":"publish","msg":{"op":"call","x":[{"op":1}]}}"#)
                == [#"{"op":"publish","msg":{"o"#, #"p":"call","x":[{"o"#, #"p":1}]}}"#]
        )
        #expect(try slices(#"[{"op":1}]"#) == [#"[{"o"#, #"p":1}]"#])
        // None of these is an op.
        for text in [
            #"{"op":"x","msg":"op y"}"#, #"{"op":"x","y":"top"}"#, #"{"op":"x","y":"opt"}"#, #"{"op":"x","y":"xp"}"#,
            #"{"op":"x","y":" p"}"#, #"{"op":1,"o":"p","q":"o p"}"#, #"{"op":1,"y":"op"#, #"{"op":1,"y":"o"#, #"{"op""#,
            "op", "p", "",
        ] {
            #expect(try slices(text) == [text])
        }
    }

    /// A frame is as long as its limit allows with the longest numbers that it could have, and its last byte.
    @Test(
        "each frame takes as many characters as fit",
        arguments: [
            ("a", 1), ("é", 2), ("ठ", 3), ("\u{FFFD}", 3), ("😀", 4), ("\"", 2), ("\\", 2), ("\u{1}", 6), ("\u{1F}", 6),
            (" ", 1), ("~", 1), ("[", 1), ("]", 1), ("#", 1), ("\u{7FF}", 2), ("\u{800}", 3), ("\u{10000}", 4),
        ]
    )
    func fullFrames(character: String, cost: Int) throws {
        let text = String(repeating: character, count: 2000)
        for limit in 256..<270 {
            let frames = Fragmenter(maximumFrameLength: limit).fragments(of: Array(text.utf8), id: "i")
            var joined = ""
            for (number, frame) in frames.enumerated() {
                // Where a character is cut this is no text.
                let value = try JSONValue.parse(frame)
                let data = try #require(value["data"]?.string)
                joined += data
                #expect(data.allSatisfy { String($0) == character })
                guard number < frames.count - 1 else { continue }
                let digits = 2 * "\(text.utf8.count)".count - "\(number)".count - "\(frames.count)".count
                let room = limit - frame.count - digits - 1
                #expect((0..<cost).contains(room), "\(limit), \(number)")
            }
            #expect(joined == text)
        }
    }

    @Test("an id has 122 random bits, and each of them is used")
    func identifiers() {
        struct Counter: RandomNumberGenerator {
            var calls = 0
            var byte: UInt64
            mutating func next() -> UInt64 {
                calls += 1
                return byte &* 0x0101_0101_0101_0101
            }
        }
        for (byte, id) in [
            (0, "00000000-0000-4000-8000-000000000000"), (255, "ffffffff-ffff-4fff-bfff-ffffffffffff"),
            (0x10, "10101010-1010-4010-9010-101010101010"), (0x0F, "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f"),
        ] as [(UInt64, String)] {
            var counter = Counter(byte: byte)
            #expect(Fragmenter.makeID(using: &counter) == id)
            #expect(counter.calls == 16)
        }
    }
}
