"""Serves map tiles, well or badly, and notes each request.

usage: tile_server.py DIARY [MODE]

/KIND/z/x/y.EXT: `sat` is a JPEG, `dem` a PNG, `us` a TIFF, each of 256 x 256. MODE says how tiles are answered: ok, 404,
429 (twice, with Retry-After, then well), 500 (always), flaky (500 once for each tile), html, endless, short, redirect (to
the tile), elsewhere (to another scheme), loop, slow. Prints "port N" and writes a path a line to DIARY.
"""

import http.server
import struct
import sys
import time
import zlib

diary = open(sys.argv[1], "a", buffering=1)
mode = sys.argv[2] if len(sys.argv) > 2 else "ok"
asked = {}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png():
    rows = b"".join(b"\0" + b"\x80\x00\x00" * 256 for _ in range(256))
    header = struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tiff():
    pixels = struct.pack("<f", 500.0) * 256 * 256
    entries = [
        (256, 4, 1, 256), (257, 4, 1, 256), (258, 3, 1, 32), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 8 + 2 + 120 + 4),
        (277, 3, 1, 1), (278, 4, 1, 256), (279, 4, 1, len(pixels)), (339, 3, 1, 3),
    ]
    directory = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<I", 8) + directory + struct.pack("<I", 0) + pixels


def jpeg():
    import io

    from PIL import Image

    bytes_ = io.BytesIO()
    Image.new("RGB", (256, 256), (30, 90, 30)).save(bytes_, "JPEG")
    return bytes_.getvalue()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        diary.write(self.path + " " + self.headers.get("User-Agent", "") + "\n")
        count = asked[self.path] = asked.get(self.path, 0) + 1
        redirected = self.path.startswith("/there")
        if mode in ("404", "500"):
            self.send_error(int(mode))
        elif mode == "429" and count < 3:
            self.answer(429, b"", {"Retry-After": "0"})
        elif mode == "flaky" and count == 1:
            self.send_error(500)
        elif mode == "html":
            self.answer(200, b"<html>please log in</html>", {"Content-Type": "text/html"})
        elif mode == "redirect" and not redirected:
            self.answer(302, b"", {"Location": "/there" + self.path})
        elif mode == "elsewhere":
            self.answer(302, b"", {"Location": "ftp://127.0.0.1/tile.png"})
        elif mode == "loop":
            self.answer(302, b"", {"Location": self.path + "0"})
        elif mode == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                self.wfile.write(png())
                while True:
                    self.wfile.write(bytes(1 << 20))
            except OSError:
                pass
        elif mode == "slow":
            time.sleep(2)
        else:
            tile = {"sat": jpeg, "dem": png, "us": tiff}[self.path.removeprefix("/there").split("/")[1]]()
            self.answer(200, tile, {}, cut=mode == "short")

    def answer(self, status, body, fields, cut=False):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print("port", server.server_port, flush=True)
server.serve_forever()
