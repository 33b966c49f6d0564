"""A WebSocket client for attackers: it sends what it is told, right or wrong."""

import base64
import json
import os
import socket
import struct
import zlib


class Raw:
    """A connection to 127.0.0.1 after the opening handshake, unless there is to be none."""

    def __init__(self, port, extensions=None, handshake=True, protocols=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.input = b""
        self.inflate = zlib.decompressobj(-15)
        if handshake:
            self.send(self.request(port, extensions, protocols))
            head = self.head()
            assert head.startswith(b"HTTP/1.1 101 "), head
            assert extensions is None or b"permessage-deflate" in head, head

    @staticmethod
    def request(port, extensions=None, protocols=None):
        key = base64.b64encode(os.urandom(16)).decode()
        fields = ["GET / HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        fields += ["Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        fields += [f"Sec-WebSocket-Extensions: {extensions}"] if extensions else []
        fields += [f"Sec-WebSocket-Protocol: {protocols}"] if protocols else []
        return "\r\n".join(fields + ["", ""]).encode()

    def send(self, data):
        self.socket.sendall(data)

    @staticmethod
    def frame(payload, first=0x81, masked=True, length=None):
        """A frame; `length` is what its header claims, in 64 bits."""
        bit = 0x80 if masked else 0
        if length is not None:
            header = bytes([first, bit | 127]) + struct.pack(">Q", length)
        elif len(payload) < 126:
            header = bytes([first, bit | len(payload)])
        elif len(payload) < 65536:
            header = bytes([first, bit | 126]) + struct.pack(">H", len(payload))
        else:
            header = bytes([first, bit | 127]) + struct.pack(">Q", len(payload))
        return header + (bytes(4) if masked else b"") + payload

    def text(self, *operations):
        for operation in operations:
            payload = operation if isinstance(operation, (bytes, str)) else json.dumps(operation)
            self.send(self.frame(payload.encode() if isinstance(payload, str) else payload))

    def head(self):
        """The head of an HTTP answer."""
        while b"\r\n\r\n" not in self.input:
            if not self.more():
                return self.input
        head, self.input = self.input.split(b"\r\n\r\n", 1)
        return head

    def more(self):
        try:
            data = self.socket.recv(1 << 16)
        except ConnectionError:
            return False
        self.input += data
        return bool(data)

    def take(self, count):
        while len(self.input) < count:
            if not self.more():
                raise EOFError
        data, self.input = self.input[:count], self.input[count:]
        return data

    def frames(self):
        """Opcode and payload of each frame of the server, to the end of the stream."""
        try:
            while True:
                first, second = self.take(2)
                length = second & 0x7F
                if length > 125:
                    form = ">H" if length == 126 else ">Q"
                    (length,) = struct.unpack(form, self.take(struct.calcsize(form)))
                payload = self.take(length)
                if first & 0x40:
                    payload = self.inflate.decompress(payload + b"\0\0\xff\xff")
                yield first & 0x0F, payload
        except EOFError:
            return

    def code(self):
        """The code of the server's close frame; None if the stream ends without one."""
        for opcode, payload in self.frames():
            if opcode == 8:
                return struct.unpack(">H", payload[:2])[0] if payload else 1005
        return None

    def answers(self):
        """The answers up to that to a call that is sent now."""
        self.text(dict(op="call_service", id="end", service="/rosapi/get_time"))
        answers = []
        for opcode, payload in self.frames():
            if opcode == 1:
                answers.append(json.loads(payload))
                if answers[-1].get("id") == "end":
                    return answers[:-1]
        raise EOFError("the connection ended before the answer")

    def close(self):
        self.socket.close()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()
