/// Python that copies good bags, breaks each copy in its own way, and asks the peers what they find.
///
/// `make` writes the .mcap file from a .db3 bag; `break` reads a list of breakages and prints the peers' problems.
enum BreakageProgram {
    static let text = common + databases + containers + main

    private static let common = """
        import contextlib, copy, glob, io, json, math, os, re, runpy, shutil, sqlite3, struct, sys, traceback, zlib
        import numpy, yaml
        from mcap.writer import Writer, CompressionType
        from mcap.reader import make_reader
        from rosbags.typesys import Stores, get_typestore
        types = get_typestore(Stores.ROS2_JAZZY)

        def read(path):
            with open(path, 'rb') as file: return file.read()
        def write(path, data):
            with open(path, 'wb') as file: file.write(data)
        def patch(path, offset, data):
            with open(path, 'r+b') as file:
                file.seek(offset); file.write(data)
        def encoded(m, kind): return bytes(types.serialize_cdr(m, kind))
        def decoded(data, kind): return types.deserialize_cdr(bytes(data), kind)

        # The first byte that decoding does not see is padding.
        def pad(data, kind='sensor_msgs/msg/PointCloud2'):
            for i in range(4, len(data)):
                if data[i]: continue
                b = bytearray(data); b[i] = 0x55
                try:
                    if encoded(decoded(b, kind), kind) == data: return bytes(b)
                except Exception: pass
            raise ValueError('no padding')

        def cloud(data):
            m = decoded(data, 'sensor_msgs/msg/PointCloud2'); m.data = m.data[:-4]
            return encoded(m, 'sensor_msgs/msg/PointCloud2')


        """

    private static let databases = """
        class Bag:
            def __init__(self, d):
                self.d, self.dbs, self.arguments = d, sorted(glob.glob(d + '/*.db3')), []
            def names(self):
                return dict(d=self.d, dbs=self.dbs, arguments=self.arguments, load=self.load, store=self.store,
                    topic=self.topic, run=self.run, blob=self.blob, change=self.change)
            def load(self):
                with open(self.d + '/metadata.yaml') as file:
                    return yaml.safe_load(file)['rosbag2_bagfile_information']
            def store(self, m):
                with open(self.d + '/metadata.yaml', 'w') as file:
                    yaml.safe_dump({'rosbag2_bagfile_information': m}, file)
            def topic(self, m, name):
                return next(t['topic_metadata'] for t in m['topics_with_message_count']
                    if t['topic_metadata']['name'] == name)
            def run(self, path, sql):
                c = sqlite3.connect(path); c.execute(sql); c.commit(); c.close()
            def rows(self, c, topic, count):
                return c.execute('SELECT messages.id, data, type FROM messages JOIN topics ON topics.id = topic_id '
                    'WHERE name = ? ORDER BY messages.id LIMIT ?', (topic, count)).fetchall()
            def blob(self, topic, change):
                c = sqlite3.connect(self.dbs[0])
                for row, data, kind in self.rows(c, topic, 1):
                    new = change(bytes(data))
                    if new == data: raise ValueError('nothing changed')
                    c.execute('UPDATE messages SET data = ? WHERE id = ?', (new, row))
                c.commit(); c.close()
            def change(self, topic, code, count):
                c = sqlite3.connect(self.dbs[0])
                for row, data, kind in self.rows(c, topic, count):
                    m = decoded(data, kind)
                    for name, value in vars(m).items():
                        if isinstance(value, numpy.ndarray): setattr(m, name, value.copy())
                    if callable(code): code(m)
                    else: exec(code, dict(globals(), m=m))
                    c.execute('UPDATE messages SET data = ? WHERE id = ?', (encoded(m, kind), row))
                c.commit(); c.close()


        """

    private static let containers = """
        def record(op, body): return struct.pack('<BQ', op, len(body)) + bytes(body)
        def text(s):
            s = s.encode()
            return struct.pack('<I', len(s)) + s
        def channel(number, schema, topic, metadata={'offered_qos_profiles': ''}, encoding='cdr'):
            pairs = metadata.items() if isinstance(metadata, dict) else metadata
            m = b''.join(text(k) + text(v) for k, v in pairs)
            return [4, struct.pack('<HH', number, schema) + text(topic) + text(encoding)
                + struct.pack('<I', len(m)) + m]

        class File:
            def __init__(self, path):
                self.path, self.arguments = path, []
                b = read(path)
                self.all, o = [], 8
                while o < len(b) - 8:
                    n = struct.unpack_from('<Q', b, o + 1)[0]
                    self.all.append((o, b[o], o + 9, o + 9 + n)); o += 9 + n
                self.time = struct.unpack_from('<Q', b, self.at(6)[1])[0]
            def at(self, op, n=0):
                o, _, s, e = [r for r in self.all if r[1] == op][n]
                return o, s, e
            def longest(self, op): return max((r for r in self.all if r[1] == op), key=lambda r: r[3] - r[2])[2]
            def split(self):
                b = read(self.path)
                self.records = [[op, b[s:e]] for _, op, s, e in self.all]
                return self.records
            def join(self, records):
                magic = b'\\x89MCAP0\\r\\n'
                write(self.path, magic + b''.join(record(*r) for r in records) + magic)
            def first(self, op): return next(i for i, r in enumerate(self.records) if r[0] == op)
            def repack(self, r, compression='', content=lambda c: c):
                c = content(r[1][40:])
                r[1] = r[1][:16] + struct.pack('<QI', len(c), zlib.crc32(c)) + text(compression) \\
                    + struct.pack('<Q', len(c)) + c
            def rewrite(self, topic, change):
                with open(self.path, 'rb') as file:
                    rows = [(c.topic, s.name, s.data, m.log_time, m.data)
                        for s, c, m in make_reader(file).iter_messages(log_time_order=False)]
                done = False
                for i, (name, kind, definition, time, data) in enumerate(rows):
                    if name == topic and not done:
                        rows[i], done = (name, kind, definition, time, change(data)), True
                pack(self.path, rows)
            def names(self):
                b = bytearray()
                return dict(f=self.path, at=self.at, longest=self.longest, split=self.split, join=self.join,
                    first=self.first, repack=self.repack, rewrite=self.rewrite, T=self.time,
                    arguments=self.arguments)

        def pack(path, rows):
            with open(path, 'wb') as file:
                w = Writer(file, chunk_size=8192, compression=CompressionType.NONE, enable_data_crcs=True)
                w.start('ros2', 'breakages')
                schemas, channels = {}, {}
                for topic, kind, definition, time, data in rows:
                    if kind not in schemas: schemas[kind] = w.register_schema(kind, 'ros2msg', definition)
                    if topic not in channels:
                        channels[topic] = w.register_channel(topic, 'cdr', schemas[kind], {'offered_qos_profiles': ''})
                    w.add_message(channels[topic], time, data, time)
                w.add_attachment(1, 2, 'notes', 'text/plain', b'nothing is wrong here')
                w.add_metadata('where', {'from': 'a test'})
                w.finish()

        def make(bag, path):
            rows = []
            for db in sorted(glob.glob(bag + '/*.db3')):
                c = sqlite3.connect(db)
                definitions = dict(c.execute('SELECT topic_type, encoded_message_definition FROM message_definitions'))
                rows += [(n, k, definitions[k].encode(), t, bytes(d)) for n, k, t, d in c.execute(
                    'SELECT name, type, timestamp, data FROM messages JOIN topics ON topics.id = topic_id '
                    'ORDER BY messages.id')]
                c.close()
            pack(path, rows)


        """

    private static let main = """
        def judge(script, path, arguments):
            output, status = io.StringIO(), 0
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
                try:
                    sys.argv = [script, path] + arguments
                    runpy.run_path(script, run_name='__main__')
                except SystemExit as end: status = end.code or 0
                except BaseException:
                    status = 2
                    output.write('\\nPROBLEM ' + traceback.format_exc(limit=-1).splitlines()[-1])
            problems = [line[8:] for line in output.getvalue().splitlines() if line.startswith('PROBLEM ')]
            return dict(status=status, problems=problems)

        def break_all(folder, peers):
            sys.path.insert(0, peers)
            results = []
            for number, task in enumerate(json.load(sys.stdin)):
                target = f'{folder}/{number}'
                if task['base'] == 'mcap':
                    target += '.mcap'
                    shutil.copy(f'{folder}/mcap.mcap', target)
                    subject, script = File(target), peers + '/check_mcap.py'
                else:
                    shutil.copytree(f"{folder}/{task['base']}", target)
                    subject, script = Bag(target), peers + '/check_bag.py'
                names = dict(globals(), **subject.names())
                if task['base'] == 'mcap':
                    names['put'] = lambda o, f, v: struct.pack_into(f, names['b'], o, v)
                try: exec(task['code'], names)
                except Exception: sys.exit(f"{task['name']}: {traceback.format_exc()}")
                results.append(dict(judge(script, target, subject.arguments), path=target, name=task['name']))
            print(json.dumps(results))

        if sys.argv[1] == 'make': make(sys.argv[2], sys.argv[3])
        else: break_all(sys.argv[2], sys.argv[3])
        """
}
