import Foundation
import Messages
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
    private func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
    }

    @Test(
        "the vectors of RFC 4648, clause 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ plain: String, _ encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(encoded.utf8))
        #expect(decode(encoded) == Array(plain.utf8))
    }

    @Test("agrees with Foundation at every length and with every byte")
    func everyLength() {
        var generator = SeededRandomNumbers(seed: 3)
        for count in Array(0...130) + [1_000, 4_099] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let expected = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == Array(expected.utf8))
            #expect(decode(expected) == bytes)
        }
        for byte in 0...255 as ClosedRange<UInt8> {
            #expect(Base64.encode([byte, byte, byte]) == Array(Data([byte, byte, byte]).base64EncodedString().utf8))
        }
    }

    @Test(
        "anything else is refused",
        arguments: [
            "A", "AA", "AAA", "AAAAA", "=", "====", "A===", "AA=A", "=AAA", "AAA\n", "AA A", "AAA-", "AAA_", "AAAé",
            "AB==",
            "AAB=", "AA==AAAA", "AAA=AAAA", "AAAAAA==AAAA", "AAAA====", "AAA\u{0}",
        ]
    )
    func refused(_ text: String) {
        #expect(decode(text) == nil)
    }

    @Test("each byte outside the alphabet is refused in each place")
    func alphabet() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for byte in 0...255 as ClosedRange<UInt8> where !alphabet.contains(byte) {
            for place in 0..<7 {
                var text = Array("AAAAAAAA".utf8)
                text[place] = byte
                #expect(text.withUnsafeBytes { Base64.decode($0) } == nil)
            }
        }
    }
}
