import CDeflate
import CLZ4
import CSQLite
import CTurboJPEG
import CYAML
import CZlib
import CZstd
import Platform
import SystemPackage

/// The page of `mapeverything --version --verbose`: what the program was built with, is linked with, and would run.
enum VersionReport {
    private typealias Row = (name: String, version: String)

    /// True for a command line that asks for it.
    static func isAsked(_ arguments: [String]) -> Bool {
        arguments.count == 2 && arguments.contains("--version") && arguments.contains("--verbose")
    }

    static var text: String {
        let sections: [(title: String, rows: [Row])] = [
            ("built with", [("Swift", compiler), ("processor", processor), ("glibc", glibc)]),
            ("Swift packages, at least", packages),
            ("libraries", libraries),
            ("programs and data that some commands use", programs),
        ]
        let width = sections.flatMap(\.rows).map(\.name.count).max() ?? 0
        let lines = sections.flatMap { section in
            ["", "\(section.title):"]
                + section.rows.map { row in
                    "  \(row.name)\(String(repeating: " ", count: width - row.name.count))  \(row.version)"
                }
        }
        return (["mapeverything \(Tool.version)"] + lines).joined(separator: "\n")
    }

    private static var compiler: String {
        #if compiler(>=6.4)
        "6.4 or newer"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    private static var processor: String {
        #if arch(x86_64)
        "x86_64"
        #elseif arch(arm64)
        "aarch64"
        #else
        "another than x86_64 and aarch64: not tried"
        #endif
    }

    /// The newest of the versions that the program's symbols ask for, without which the loader refuses the program.
    private static var glibc: String {
        // They stand in the program's table of names, each between NULs, which linkers put before all code and data.
        guard let (program, byteCount) = try? RegularFile.open(FilePath("/proc/self/exe")) else { return "not said" }
        defer { try? program.close() }
        let names = (try? program.bytes(min(byteCount, 1 << 20), fromAbsoluteOffset: 0)) ?? []
        let prefix = Array("GLIBC_2.".utf8)
        let minors = names.split(separator: 0).compactMap { name in
            name.starts(with: prefix) ? Int(String(decoding: name.dropFirst(prefix.count), as: UTF8.self)) : nil
        }
        return minors.max().map { "2.\($0) or newer" } ?? "not said"
    }

    /// The versions that Package.swift asks for, which a test compares: packages do not tell theirs at run time.
    private static let packages = [
        ("swift-argument-parser", "1.8.2"), ("swift-nio", "2.101.2"), ("swift-nio-ssl with BoringSSL", "2.37.6"),
        ("swift-system", "1.8.1"),
    ]

    private static var libraries: [Row] {
        let jpeg = turbojpegVersionNumber()
        return [
            ("libjpeg-turbo", jpeg > 0 ? "\(jpeg / 1_000_000).\(jpeg / 1000 % 1000).\(jpeg % 1000)" : "not said"),
            ("SQLite", String(cString: sqlite3_libversion())),
            ("zlib", String(cString: zlibVersion())),
            ("libdeflate", LIBDEFLATE_VERSION_STRING),
            ("Zstandard", String(cString: ZSTD_versionString())),
            ("LZ4", String(cString: LZ4_versionString())),
            ("libyaml", String(cString: yaml_get_version_string())),
            ("AprilTag", "3 (the library does not say more)"),
        ]
    }

    private static var programs: [Row] {
        let ffmpeg = ["ffmpeg", "ffprobe"].map { name in
            guard let program = ExternalProgram(named: name) else {
                return (name, "not found: apt install ffmpeg; videos of recordings are not read without it")
            }
            // "ffmpeg version 5.1.6-0+deb12u1 Copyright (c) ..."
            let words = (try? program.run(["-version"], seconds: 5))?.output.split(separator: " ") ?? []
            return (name, words.count > 2 && words[1] == "version" ? String(words[2]) : "found, without a version")
        }
        let picture = ExternalProgram(named: PictureFiles.program).map { "\($0.path)" }
        let grid = GeoidOptions.installedGrid
        return ffmpeg + [
            (
                PictureFiles.program,
                picture ?? "not found: apt install librsvg2-bin; report --png writes SVG without it"
            ),
            (
                "EGM96 grid",
                grid == nil ? "not found: apt install proj-data; heights stay above the ellipsoid" : "found"
            ),
        ]
    }
}
