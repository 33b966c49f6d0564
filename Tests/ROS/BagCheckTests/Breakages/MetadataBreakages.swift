import BagTools

/// metadata.yaml that is wrong.
enum MetadataBreakages {
    static let all: [Breakage] = [
        edit("no metadata.yaml", "os.remove(d + '/metadata.yaml')", [.metadataMissing]),
        edit("no YAML", "open(d + '/metadata.yaml', 'w').write('{{{ : [')", [.metadataSyntax], peer: false),
        edit(
            "another top key",
            "open(d + '/metadata.yaml', 'w').write('bag: {version: 8}')",
            [.metadataSyntax],
            peer: false
        ),
        meta("message_count", "m['message_count'] += 1", [.metadataCount]),
        meta("starting_time", "m['starting_time']['nanoseconds_since_epoch'] += 5", [.metadataTimes]),
        meta("duration", "m['duration']['nanoseconds'] -= 7", [.metadataTimes]),
        meta("a topic's count", "m['topics_with_message_count'][0]['message_count'] = 1", [.metadataTopicCount]),
        meta("a topic's type", "topic(m, '/note')['type'] = 'std_msgs/msg/Header'", [.metadataType]),
        meta("a topic's format", "topic(m, '/note')['serialization_format'] = 'cdr2'", [.metadataFormat]),
        meta(
            "a topic's hash",
            "topic(m, '/note')['type_description_hash'] = 'RIHS01_' + 64 * '0'",
            [.metadataHash],
            peer: false
        ),
        meta("a topic too few", "m['topics_with_message_count'].pop()", [.metadataTopics, .metadataTopicCount]),
        meta(
            "a topic too many",
            """
            t = copy.deepcopy(m['topics_with_message_count'][0]); t['topic_metadata']['name'] = '/other'
            m['topics_with_message_count'].append(t)
            """,
            [.metadataTopics]
        ),
        meta("a file's count", "m['files'][0]['message_count'] += 1", [.metadataFileCount]),
        meta("a file's start", "m['files'][1]['starting_time']['nanoseconds_since_epoch'] += 1", [.metadataFileTimes]),
        meta("a file's duration", "m['files'][1]['duration']['nanoseconds'] += 1", [.metadataFileTimes]),
        meta("an entry of files too many", "m['files'].append(dict(m['files'][0], path='x.db3'))", [.metadataFiles]),
        meta("a path too few", "m['relative_file_paths'].pop()", [.bagUnlistedFile]),
        meta("no compression keys", "del m['compression_format'], m['compression_mode']", [.metadataRefused]),
        meta("no files", "del m['files']", [.metadataRefused]),
        meta("no duration", "del m['duration']", [.metadataRefused], peer: false),
        meta("a count in words", "m['message_count'] = 'many'", [.metadataRefused]),
        meta("QoS as a list in version 8", "topic(m, '/tf')['offered_qos_profiles'] = []", [.metadataRefused]),
        meta("no QoS", "del topic(m, '/tf')['offered_qos_profiles']", [.metadataRefused]),
        meta(
            "no hash in version 8, as the phone app",
            "del m['ros_distro'], topic(m, '/tf')['type_description_hash']",
            [.metadataRefused],
            isError: false,
            arguments: "--as jazzy"
        ),
        meta("a negative start", "m['starting_time']['nanoseconds_since_epoch'] = -5", [.metadataRefused]),
        meta("another storage", "m['storage_identifier'] = 'mcap'", [.metadataStorage], peer: false),
        meta(
            "compressed in words alone",
            "m['compression_mode'] = 'FILE'; m['compression_format'] = 'zstd'",
            [.compressionFields],
            peer: false
        ),
        edit("a missing file", "os.remove(dbs[1])", [.bagMissingFile]),
        edit("a file too many", "shutil.copy(dbs[0], d + '/other_7.db3')", [.bagUnlistedFile]),
        Breakage(
            name: "metadata: an unfinished chunk",
            base: .cdr,
            code: "shutil.copy(dbs[0], dbs[0].replace('_0.db3', '_9.db3.part'))",
            kinds: [.bagLeftover],
            isError: false,
            isFoundByPeer: false
        ),
    ]

    private static func edit(
        _ name: String,
        _ code: String,
        _ kinds: [BagFindingKind],
        peer: Bool = true
    ) -> Breakage {
        Breakage(name: "metadata: \(name)", base: .cdr, code: code, kinds: kinds, isFoundByPeer: peer)
    }

    private static func meta(
        _ name: String,
        _ code: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        peer: Bool = true,
        arguments: String = ""
    ) -> Breakage {
        let code = "m = load()\n\(code)\nstore(m)" + (arguments.isEmpty ? "" : "\narguments += '\(arguments)'.split()")
        return Breakage(
            name: "metadata: \(name)",
            base: .cdr,
            code: code,
            kinds: kinds,
            isError: isError,
            isFoundByPeer: peer
        )
    }
}
