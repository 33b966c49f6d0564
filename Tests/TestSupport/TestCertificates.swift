import Foundation
import SystemPackage

/// Certificates that are made on the spot with openssl, in a folder of their own.
package final class TestCertificates: Sendable {
    package static let openssl = "/usr/bin/openssl"
    package static let absence = "openssl is missing"
    package static var isAvailable: Bool {
        PeerPython.isRequired || FileManager.default.isExecutableFile(atPath: openssl)
    }

    private let directory: TemporaryDirectory

    package init() throws {
        directory = try TemporaryDirectory()
    }

    /// The file of a certificate.
    package func path(_ name: String) -> String { directory.appending("\(name).pem").string }

    /// The file of its private key.
    package func key(_ name: String) -> String { directory.appending("\(name).key").string }

    /// Makes an authority: one that signs for itself, or one below another.
    package func makeAuthority(_ name: String, by issuer: String? = nil, days: Int = 2) throws {
        try make(name, by: issuer, extensions: ["basicConstraints=critical,CA:TRUE"], days: days)
    }

    /// Makes a certificate for names such as `DNS:localhost` or `IP:127.0.0.1`; with negative days it has expired.
    package func make(_ name: String, by issuer: String, for names: [String], days: Int = 2) throws {
        let alternatives = names.isEmpty ? [] : ["subjectAltName=" + names.joined(separator: ",")]
        try make(name, by: issuer, extensions: alternatives, days: days)
    }

    /// Makes a certificate that signs for itself and is no authority.
    package func makeSelfSigned(_ name: String, for names: [String]) throws {
        try make(name, by: nil, extensions: ["subjectAltName=" + names.joined(separator: ",")], days: 2)
    }

    /// Puts certificates one behind the other into a file.
    package func join(_ names: String..., as name: String) throws {
        let texts = try names.map { try String(contentsOfFile: path($0), encoding: .utf8) }
        try texts.joined().write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    /// Writes a key again, with a passphrase.
    package func encryptKey(_ name: String, as encrypted: String, isTraditional: Bool) throws {
        let form = isTraditional ? ["ec"] : ["pkcs8", "-topk8"]
        let cipher = isTraditional ? ["-aes128"] : []
        try run(form + ["-in", key(name), "-passout", "pass:secret", "-out", key(encrypted)] + cipher)
    }

    /// Writes a file that is no certificate and no key.
    package func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Without an issuer the certificate signs for itself.
    private func make(_ name: String, by issuer: String?, extensions: [String], days: Int) throws {
        try run(["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", key(name)])
        let request = directory.appending("\(name).csr").string
        let settings = directory.appending("\(name).ext").string
        try run(["req", "-new", "-key", key(name), "-subj", "/O=Test/CN=\(name)", "-out", request])
        try write(extensions.joined(separator: "\n") + "\n", to: settings)
        let signer = issuer.map { ["-CA", path($0), "-CAkey", key($0), "-CAcreateserial"] } ?? ["-signkey", key(name)]
        let output = ["-days", "\(days)", "-extfile", settings, "-out", path(name)]
        try run(["x509", "-req", "-in", request] + signer + output)
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.openssl)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
    }

    package struct Failure: Error, CustomStringConvertible {
        package var arguments: [String]
        package var description: String { "openssl \(arguments.joined(separator: " "))" }
    }
}
