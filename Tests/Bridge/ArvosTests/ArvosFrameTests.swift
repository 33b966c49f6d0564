import Arvos
import Foundation
import TestSupport
import Testing
import Text

/// Frames as the SDKs' documentation and code have them, spelled out by hand, and damaged ones.
@Suite struct ArvosFrameTests {
    static func frame(_ header: String, _ payload: [UInt8]) -> [UInt8] {
        let count = header.utf8.count
        return [UInt8(count & 255), UInt8(count >> 8), 0, 0] + Array(header.utf8) + payload
    }

    private func problem(binary bytes: [UInt8]) -> ArvosProblem.Kind? {
        do throws(ArvosProblem) {
            _ = try ArvosParser.binary(bytes)
            return nil
        } catch {
            return error.kind
        }
    }

    private func problem(text: String) -> ArvosProblem.Kind? {
        do throws(ArvosProblem) {
            _ = try ArvosParser.text(Array(text.utf8))
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("a frame is a length in little-endian, a header and the payload")
    func flat() throws {
        let bytes: [UInt8] =
            [0x2E, 0, 0, 0] + Array(#"{"type":"camera","timestampNs":7,"dataSize":3}"#.utf8) + [0xFF, 0xD8, 0xFF]
        let message = try ArvosParser.binary(bytes)
        #expect(message.type == "camera" && message["timestampNs"]?.integer == 7)
        #expect(message.payload == [0xFF, 0xD8, 0xFF] && message.surplusBytes == 0)
    }

    @Test("all three forms of the header say the same")
    func headers() throws {
        // base64 of {"width":4,"height":2}
        let base64 = "eyJ3aWR0aCI6NCwiaGVpZ2h0IjoyfQ=="
        let array = Array(#"{"width":4,"height":2}"#.utf8).map(String.init).joined(separator: ",")
        let forms = [
            #"{"type":"camera","timestampNs":1,"width":4,"height":2,"dataSize":1}"#,
            #"{"type":"camera","timestampNs":1,"metadata":"\#(base64)","dataSize":1}"#,
            #"{"type":"camera","timestampNs":1,"metadata":[\#(array)],"dataSize":1}"#,
            #"{"sensorType":"camera","timestampNs":1,"metadata":"\#(base64)"}"#,
        ]
        for form in forms {
            let message = try ArvosParser.binary(Self.frame(form, [9]))
            #expect(message.type == "camera" && message.payload == [9], "\(form)")
            #expect(message["width"]?.integer == 4 && message["height"]?.integer == 2, "\(form)")
        }
    }

    @Test("flat keys count before those of the metadata")
    func precedence() throws {
        let base64 = "eyJ3aWR0aCI6NCwiaGVpZ2h0IjoyfQ=="
        let message = try ArvosParser.binary(
            Self.frame(#"{"type":"camera","width":8,"metadata":"\#(base64)"}"#, [])
        )
        #expect(message["width"]?.integer == 8)
    }

    @Test("what is no frame is named")
    func damage() {
        #expect(problem(binary: []) == .tooShort)
        #expect(problem(binary: [1, 0, 0]) == .tooShort)
        #expect(problem(binary: [0xFF, 0xFF, 0xFF, 0xFF, 0x7B]) == .headerLength)
        // The length in the other order.
        #expect(problem(binary: [0, 0, 0, 2, 0x7B, 0x7D]) == .headerLength)
        // A type before the length, as an article about Arvos has it.
        #expect(problem(binary: [1] + Self.frame(#"{"type":"camera"}"#, [])) == .headerLength)
        #expect(problem(binary: [2, 0, 0, 0, 0xFF, 0xFE]) == .headerText)
        #expect(problem(binary: Self.frame("[]", [])) == .headerText)
        #expect(problem(binary: Self.frame("{}", [])) == .unknownType)
        #expect(problem(binary: Self.frame(#"{"type":7}"#, [])) == .unknownType)
        #expect(problem(binary: Self.frame(#"{"type":"camera","metadata":"%%%"}"#, [])) == .metadata)
        #expect(problem(binary: Self.frame(#"{"type":"camera","metadata":[1,256]}"#, [])) == .metadata)
        #expect(problem(binary: Self.frame(#"{"type":"camera","metadata":7}"#, [])) == .metadata)
        #expect(problem(binary: Self.frame(#"{"type":"camera","metadata":"AAAA"}"#, [])) == .metadata)
        #expect(problem(binary: Self.frame(#"{"type":"camera","dataSize":5}"#, [1, 2])) == .dataSize)
        #expect(problem(binary: Self.frame(#"{"type":"camera","dataSize":-1}"#, [1, 2])) == .dataSize)
        #expect(problem(binary: Self.frame(#"{"type":"camera","dataSize":4294967296}"#, [1])) == .dataSize)
        #expect(problem(binary: Self.frame(#"{"type":"camera","dataSize":1e300}"#, [1])) == .dataSize)
        #expect(problem(text: "hello") == .headerText)
        #expect(problem(text: #"{"type":"imu""#) == .headerText)
        #expect(problem(text: #"{"timestampNs":1}"#) == .unknownType)
        #expect(problem(text: #"{"op":"advertise","topic":"/a"}"#) == .otherProtocol)
    }

    @Test("a header of nested arrays costs no stack and no memory")
    func nesting() {
        let deep = String(repeating: "[", count: 60_000)
        #expect(problem(binary: Self.frame(#"{"type":"camera","a":\#(deep)}"#, [])) != nil)
        let wide = "[" + String(repeating: "0,", count: 20_000) + "0]"
        #expect(problem(binary: Self.frame(#"{"type":"camera","a":\#(wide)}"#, [])) == .headerText)
    }

    @Test("what is written is read, keys of both SDKs, nothing null")
    func written() throws {
        let bytes = ArvosWriter.binary("depth", [("timestampNs", .integer(5)), ("format", "point_cloud")], [1, 2, 3])
        let length = Int(bytes[0]) | Int(bytes[1]) << 8
        let header = String(decoding: bytes[4..<4 + length], as: UTF8.self)
        #expect(
            header
                == #"{"type":"depth","sensorType":"depth","timestampNs":5,"format":"point_cloud","dataSize":3}"#
        )
        #expect(Array(bytes[(4 + length)...]) == [1, 2, 3])
        let message = try ArvosParser.binary(bytes)
        #expect(message.type == "depth" && message.payload == [1, 2, 3])
    }

    @Test("frames that are changed at random are read or refused, never more")
    func mutations() {
        var generator = SeededRandomNumbers(seed: 12)
        let base64 = "eyJ3aWR0aCI6NCwiaGVpZ2h0IjoyfQ=="
        let seeds = [
            Self.frame(#"{"type":"camera","timestampNs":7,"width":4,"height":2,"dataSize":3}"#, [1, 2, 3]),
            Self.frame(#"{"sensorType":"depth","timestampNs":7,"metadata":"\#(base64)","dataSize":3}"#, [1, 2, 3]),
        ]
        let words = ["dataSize", "null", "-1", "1e999", "\\u0000", "metadata", "[", "{", "\"", "4294967295"]
        var (sound, refused) = (0, 0)
        for _ in 0..<(ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] == "1" ? 1_000_000 : 60_000) {
            let seed = seeds[Int.random(in: 0...1, using: &generator)]
            let bytes = mutated(seed, words: words, using: &generator)
            do throws(ArvosProblem) {
                let message = try ArvosParser.binary(bytes)
                // What is read lies in what came.
                #expect(message.payload.count + message.surplusBytes <= bytes.count)
                sound += 1
            } catch {
                refused += 1
            }
        }
        #expect(sound > 1_000 && refused > 1_000)
    }
}
