import Messages
import Testing

@Suite("SHA-256")
struct SHA256Tests {
    // The examples of NIST's Cryptographic Standards page for FIPS 180-4.
    @Test(
        "the examples of FIPS 180-4",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            ("a", 1_000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
        ]
    )
    func examples(_ text: String, count: Int, digest: String) {
        let bytes = Array(String(repeating: text, count: count).utf8)
        #expect(SHA256.hexadecimalDigest(bytes) == digest)
    }
}
