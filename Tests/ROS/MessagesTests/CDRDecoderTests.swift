import Messages
import TestSupport
import Testing

@Suite("Reading CDR")
struct CDRDecoderTests {
    @Test("big endian is read as well as little endian")
    func bigEndian() throws {
        let header = "00 00 00 00"
        let time = try Time.decoding(cdr: [UInt8](hexadecimal: header + "65 53 f1 00 07 5b cd 15"))
        #expect(time == Time(sec: 1_700_000_000, nanosec: 123_456_789))
        let floats = try Floats.decoding(
            cdr: [UInt8](hexadecimal: header + "3f c0 00 00 00 00 00 00 bf f0 00 00 00 00 00 00")
                + [UInt8](hexadecimal: "40 20 00 00 00 00 00 00 40 04 00 00 00 00 00 00")
        )
        #expect(floats.a == 1.5 && floats.b == -1 && floats.c == 2.5 && floats.d == 2.5)
        let sequences = try Seqs.decoding(
            cdr: [UInt8](hexadecimal: header + "00000002 0102 0000 00000001 00000000 3ff0000000000000")
                + [UInt8](hexadecimal: "00000001 00000002 6100 0000 00000000 0001 0002 0003 0000")
                + [UInt8](hexadecimal: "00000001 00000000 00000001 fffffffe 3f000000 bf000000")
        )
        #expect(sequences.a == [1, 2] && sequences.b == [1] && sequences.c == ["a"] && sequences.d.isEmpty)
        #expect(sequences.e[0] == 1 && sequences.e[2] == 3 && sequences.f == "" && sequences.g == [-2])
        #expect(sequences.h[0] == 0.5 && sequences.h[1] == -0.5)
    }

    @Test(
        "other representations are refused",
        arguments: ["0002 0000", "0003 0000", "0100 0000", "0007 0000", "ffff 0000"]
    )
    func representations(_ header: String) {
        let error = #expect(throws: CDRError.self) {
            try StringMessage.decoding(cdr: [UInt8](hexadecimal: header + "01000000 00"))
        }
        #expect(error?.offset == 0)
        #expect(error?.expected == "plain CDR (00 00 or 00 01)")
    }

    @Test("a count is refused before anything is allocated for it")
    func hostileCounts() throws {
        let header = "0001 0000"
        let error = #expect(throws: CDRError.self) {
            try StringMessage.decoding(cdr: [UInt8](hexadecimal: header + "ffffffff 00"))
        }
        #expect(
            error?.description
                == #"CDR: field "data": byte 4: expected a count of at most 1 elements, found 4294967295"#
        )
        // A path of 4294967295 poses; at least 72 bytes each.
        let pathHeader = header + "00000000 00000000 01000000 00 000000"
        let poses = #expect(throws: CDRError.self) {
            try Path.decoding(cdr: [UInt8](hexadecimal: pathHeader + "ffffffff"))
        }
        #expect(poses?.path == "poses[0]")
        #expect(poses?.expected == "a count of at most 0 elements")
        // One more than there is room for.
        var array = PoseArray()
        array.poses = [Pose(), Pose()]
        var bytes = array.encodedCDR()
        let index = bytes.count - 56 * 2 - 8
        #expect(bytes[index] == 2)
        bytes[index] = 3
        #expect(throws: CDRError.self) { try PoseArray.decoding(cdr: bytes) }
    }

    @Test("an error names the field, the element and the byte")
    func errorPath() {
        var message = TFMessage(transforms: [TransformStamped(), TransformStamped()])
        message.transforms[1].childFrameID = "odom"
        let bytes = message.encodedCDR()
        let error = #expect(throws: CDRError.self) { try TFMessage.decoding(cdr: Array(bytes.dropLast(4))) }
        #expect(error?.path == "transforms[1].transform.rotation.w")
        #expect(error?.offset == bytes.count - 4)
    }

    @Test("a bool is 0 or 1, a string ends in NUL and is UTF-8")
    func strictValues() throws {
        let header = "0001 0000"
        #expect(throws: CDRError.self) { try NumberMessage<Bool>.decoding(cdr: [UInt8](hexadecimal: header + "02")) }
        #expect(throws: CDRError.self) {
            try StringMessage.decoding(cdr: [UInt8](hexadecimal: header + "02000000 6161"))
        }
        #expect(throws: CDRError.self) {
            try StringMessage.decoding(cdr: [UInt8](hexadecimal: header + "02000000 ff00"))
        }
        // Some writers leave the NUL of an empty string out.
        #expect(try StringMessage.decoding(cdr: [UInt8](hexadecimal: header + "00000000")).data == "")
    }

    @Test("mutated messages are read or refused, never worse", arguments: [31, 32, 33] as [UInt64])
    func mutations(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        let originals: [(any Message.Type, [UInt8])] = [
            (Marker.self, RandomFiller.message(of: Marker.self, seed: seed).encodedCDR()),
            (PointCloud2.self, RandomFiller.message(of: PointCloud2.self, seed: seed).encodedCDR()),
            (RadioObservation.self, RandomFiller.message(of: RadioObservation.self, seed: seed).encodedCDR()),
            (Nest.self, RandomFiller.message(of: Nest.self, seed: seed).encodedCDR()),
        ]
        var readCount = 0
        for _ in 0..<3_000 {
            let (type, original) = originals[Int.random(in: 0..<originals.count, using: &generator)]
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(CDRError) {
                let message = try type.decoding(cdr: bytes)
                readCount += 1
                // Gaps and the absent NUL of empty strings are not kept, but all that was read is.
                #expect(try type.decoding(cdr: message.encodedCDR()).encodedCDR() == message.encodedCDR())
            } catch {
                #expect(error.offset <= bytes.count)
            }
        }
        #expect(readCount > 0)
    }
}
