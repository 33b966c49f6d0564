import BagTools
import Testing

/// One way to break a good bag, and what the check should say of it.
struct Breakage: Sendable, CustomTestStringConvertible {
    /// What lies there to be broken.
    enum Base: String, Sendable {
        /// A .db3 bag of CDR, of two files.
        case cdr
        /// A .db3 bag of rosbridge JSON.
        case json
        /// An .mcap file of several chunks that the mcap package wrote, with an attachment and metadata.
        case mcap
    }

    var name: String
    var base: Base
    /// Python that breaks it; see BreakageProgram for what it may call.
    var code: String
    /// One of these has to be found, as an error or a warning.
    var kinds: [BagFindingKind]
    /// Whether it has to be an error.
    var isError = true
    /// Whether the peer finds it too; it looks into less than we do.
    var isFoundByPeer = true

    var testDescription: String { name }

    static let all: [Breakage] =
        MetadataBreakages.all + DatabaseBreakages.all + MessageBreakages.all + ContentBreakages.all + MCAPBreakages.all

    /// What no peer looks for, and what is only a note: of kinds of which the advice names a command.
    static let forAdvice: [Breakage] = [
        own("a version of the future", "m = load(); m['version'] = 12; store(m)", .metadataVersion),
        own(
            "a file under the name of another form",
            """
            m = load(); n = dbs[1][:-4] + '.mcap'; os.rename(dbs[1], n)
            m['relative_file_paths'][1] = m['files'][1]['path'] = os.path.basename(n); store(m)
            """,
            .bagWrongName
        ),
        own("a folder in place of a file", "os.remove(dbs[1]); os.mkdir(dbs[1])", .bagUnreadableFile),
        own("a time before 1970", "run(dbs[0], 'UPDATE messages SET timestamp = -5 WHERE id = 3')", .databaseRows),
        own(
            "a row that the index lacks",
            """
            c = sqlite3.connect(dbs[0]); size = c.execute('PRAGMA page_size').fetchone()[0]
            page = c.execute("SELECT rootpage FROM sqlite_master WHERE name = 'timestamp_idx'").fetchone()[0]
            c.close(); place = (page - 1) * size + 3; b = read(dbs[0])
            patch(dbs[0], place, struct.pack('>H', struct.unpack_from('>H', b, place)[0] - 1))
            """,
            .databaseIntegrity
        ),
        own(
            "a packed file that is cut",
            """
            import zstandard
            m = load()
            for i, p in enumerate(dbs):
                data = zstandard.ZstdCompressor(write_content_size=True).compress(read(p)); os.remove(p)
                write(p + '.zstd', data[:len(data) // 2] if i == 0 else data)
                m['relative_file_paths'][i] = m['files'][i]['path'] = os.path.basename(p) + '.zstd'
            m['compression_mode'] = 'FILE'; m['compression_format'] = 'zstd'; store(m)
            """,
            .compressionFile
        ),
        own(
            "messages compressed in words alone",
            "m = load(); m['compression_mode'] = 'MESSAGE'; m['compression_format'] = 'zstd'; store(m)",
            .compressionMessage
        ),
        own(
            "a compressed message that is cut",
            """
            import zstandard
            for p in dbs:
                c = sqlite3.connect(p)
                for i, b in c.execute('SELECT id, data FROM messages').fetchall():
                    c.execute('UPDATE messages SET data = ? WHERE id = ?', (zstandard.ZstdCompressor().compress(bytes(b)), i))
                c.commit(); c.close()
            blob('/note', lambda b: b[:-3])
            m = load(); m['compression_mode'] = 'MESSAGE'; m['compression_format'] = 'zstd'; store(m)
            """,
            .compressionMessage
        ),
        own(
            "a hash of no form",
            "[run(p, \"UPDATE topics SET type_description_hash = 'abc' WHERE name = '/note'\") for p in dbs]",
            .definitionHashForm
        ),
        own(
            "a type without msg",
            "[run(p, \"UPDATE topics SET type = 'std_msgs/String' WHERE name = '/note'\") for p in dbs]",
            .topicTypeForm
        ),
        own(
            "QoS in words",
            """
            q = '- {history: keep_last, depth: 10, reliability: reliable, durability: volatile}'
            m = load(); topic(m, '/note')['offered_qos_profiles'] = yaml.safe_load(q); store(m)
            [run(p, f"UPDATE topics SET offered_qos_profiles = '{q}' WHERE name = '/note'") for p in dbs]
            """,
            .qosNames
        ),
        own(
            "a message twice",
            "run(dbs[0], 'INSERT INTO messages SELECT 9999, topic_id, timestamp, data FROM messages WHERE id = 5')",
            .messageRepeated
        ),
        own(
            "a Channel twice",
            """
            rs = split()
            c = next(r[1] for r in rs if r[0] == 4 and b'/note' in r[1])
            s = next(r[1] for r in rs if r[0] == 3 and r[1][:2] == c[2:4])
            rs.insert(1, [3, s]); rs.insert(2, [4, struct.pack('<H', 90) + c[2:]])
            join(rs)
            """,
            .mcapDuplicateChannel,
            base: .mcap
        ),
    ]

    private static func own(_ name: String, _ code: String, _ kind: BagFindingKind, base: Base = .cdr) -> Breakage {
        Breakage(name: "for advice: \(name)", base: base, code: code, kinds: [kind], isFoundByPeer: false)
    }
}
