#!/usr/bin/env python3
"""Installs autobahntestsuite 25.10.1, which is written for Python 2.7, in the virtual environment of this Python 3.

usage: VENV/bin/python install_autobahn.py autobahntestsuite-25.10.1.tar.gz

The archive comes from `pip download --no-deps --no-binary :all: autobahntestsuite==25.10.1`. It asks for versions of
autobahn and Twisted of its time; current ones still have what fuzzing needs (sendFrame with reserved bits and wrong
lengths, close frames without checks, logs of octets and frames), so only the suite itself is ported:

 * lib2to3 does the syntax;
 * cases are read as Latin-1, so that each byte literal of Python 2 becomes a str whose Latin-1 encoding is its bytes;
   the protocol class encodes at its send methods, and comparing normalises both sides;
 * the rest is replaced by hand, below; a replacement that does not apply ends the installation.
"""

import os
import re
import shutil
import sys
import sysconfig
import tarfile
import warnings

warnings.simplefilter("ignore")
from lib2to3 import refactor  # noqa: E402

PACKAGE = "autobahntestsuite"
DESTINATION = os.path.join(sysconfig.get_paths()["purelib"], PACKAGE)
FOLDERS = {"case", "testdata", "web"}
FILES = {
    "__init__.py",
    "_version.py",
    "caseset.py",
    "echo.py",
    "fuzzing.py",
    "interfaces.py",
    "report.py",
    "spectemplate.py",
    "testee.py",
    "util.py",
    "wstest.py",
}
FIXERS = (
    "numliterals print has_key except raise xrange unicode dict map filter zip tuple_params repr ne basestring long"
).split()
# In no list of cases, and it needs an interface that is gone.
LEFT_OUT = "case9_9_1"

COMPATIBILITY = '''"""Stand-ins for what Python 2 had."""
import binascii as _binascii
import os as _os


def to_b(value):
    """The bytes that a str of Latin-1 stands for."""
    return value if value is None or isinstance(value, (bytes, bytearray)) else value.encode("latin-1")


def deep_b(value):
    if isinstance(value, str):
        return value.encode("latin-1")
    return tuple(deep_b(item) for item in value) if isinstance(value, (list, tuple)) else value


class binascii:
    @staticmethod
    def b2a_hex(value):
        return _binascii.b2a_hex(to_b(value)).decode("ascii")

    hexlify = b2a_hex


class pkg_resources:
    @staticmethod
    def resource_filename(package, relative):
        return _os.path.join(_os.path.dirname(_os.path.abspath(__file__)), relative)
'''

# Into the class of the fuzzing protocol, which is indented by three spaces.
SENDING = '''
   def sendFrame(self, opcode, payload = b"", fin = True, rsv = 0, mask = None, payload_len = None, chopsize = None, sync = False):
      payload = to_b(payload)
      if payload_len == 0:
         payload, payload_len = b"", None
      return WebSocketProtocol.sendFrame(self, opcode = opcode, payload = payload, fin = fin, rsv = rsv, mask = mask, payload_len = payload_len, chopsize = chopsize, sync = sync)

   def sendMessage(self, payload, isBinary = False, fragmentSize = None, sync = False, doNotCompress = False):
      if self.state != WebSocketProtocol.STATE_OPEN:
         return
      return WebSocketProtocol.sendMessage(self, to_b(payload), isBinary, fragmentSize, sync, doNotCompress)

   def sendMessageFrameData(self, payload, sync = False):
      return WebSocketProtocol.sendMessageFrameData(self, to_b(payload), sync)

   def sendMessageFrame(self, payload, sync = False):
      return WebSocketProtocol.sendMessageFrame(self, to_b(payload), sync)

   def sendCloseFrame(self, code = None, reasonUtf8 = None, isReply = False):
      return WebSocketProtocol.sendCloseFrame(self, code, to_b(reasonUtf8), isReply)

   def failConnection(self):
      return self._fail_connection()

   debug = False
'''

# By file, what is replaced by what. A triple is a regular expression, which may apply nowhere.
REPLACEMENTS = {
    "case/case.py": [
        ("return pickle.dumps(obj1) == pickle.dumps(obj2)", "return deep_b(obj1) == deep_b(obj2)"),
        ("import pickle", "import pickle\nfrom autobahntestsuite.py3compat import deep_b"),
    ],
    "case/__init__.py": [("regex", rf"^from autobahntestsuite.case.{LEFT_OUT} import .*$", "")],
    "case/case12_x_x.py": [
        ("acceptNoContextTakeover", "accept_no_context_takeover"),
        ("acceptMaxWindowBits", "accept_max_window_bits"),
        ("requestNoContextTakeover", "request_no_context_takeover"),
        ("requestMaxWindowBits", "request_max_window_bits"),
    ],
    "case/case6_x_x.py": [("res = v.validate(vss[:i])", "res = v.validate(vss[:i].encode('latin-1'))")],
    "case/case10_1_1.py": [("len(self.payload) / self.p.autoFragmentSize", "len(self.payload) // self.p.autoFragmentSize")],
    "fuzzing.py": [
        (
            "import os, json, binascii, time, textwrap, pkg_resources",
            "import os, json, time, textwrap\nfrom autobahntestsuite.py3compat import binascii, pkg_resources, to_b",
        ),
        ("dd = data[:maxlen] + ellipses", "dd = data[:maxlen] + to_b(ellipses)"),
        (
            "def asciiLogData(data, maxlen = 64, replace = False):\n",
            "def asciiLogData(data, maxlen = 64, replace = False):\n   data = to_b(data)\n",
        ),
        ("p = ''.join(payload)", "p = b''.join(payload)"),
        (
            "WebSocketServerFactory.__init__(self, debug = debug, debugCodePaths = debug)",
            "WebSocketServerFactory.__init__(self)",
        ),
        (
            "WebSocketClientFactory.__init__(self, debug = debug, debugCodePaths = debug)",
            "WebSocketClientFactory.__init__(self)",
        ),
        ("MAX_WIRE_LOG_DATA = 256\n", "MAX_WIRE_LOG_DATA = 256\n" + SENDING),
        ("autobahn.version", "autobahn.__version__"),
        (".encode(\"utf-8\"))\n      f.write('      </table>')", ")\n      f.write('      </table>')"),
        ("ll.encode('utf8')))", "ll))"),
        ("mmask = binascii.b2a_hex(t[6])", "mmask = t[6]"),
        ("webdir.putChild('cwd', curdir)", "webdir.putChild(b'cwd', curdir)"),
        (
            "open(os.path.join(outdir, report_filename), 'w')",
            "open(os.path.join(outdir, report_filename), 'w', encoding='utf-8')",
        ),
        (
            "json.dumps(case, sort_keys",
            "json.dumps(case, default = lambda o: o.decode('latin-1') if isinstance(o, bytes) else str(o), sort_keys",
        ),
    ],
    "testee.py": [
        ("autobahn.version", "autobahn.__version__"),
        ("regex", ", debug = debug, debugCodePaths = debug", ""),
    ],
    "wstest.py": [
        ("regex", r"^(from autobahntestsuite )?import choosereactor\n", ""),
        ("import os, json, sys, pkg_resources", "import os, json, sys"),
        ("regex", r"^import (testee|fuzzing|echo)$", r"from autobahntestsuite import \1"),
        ("regex", r"^import (broadcast|massconnect|serializer)$", ""),
        ("autobahn.version", "autobahn.__version__"),
        (
            "from autobahn.websocket.xormasker import XorMaskerNull",
            "from autobahn.websocket import xormasker\nXorMaskerNull = xormasker",
        ),
    ],
}


def extract(archive):
    """Puts what a fuzzing server needs in place of what is there."""
    shutil.rmtree(DESTINATION, ignore_errors=True)
    with tarfile.open(archive) as files:
        for member in files.getmembers():
            parts = member.name.split("/")
            # autobahntestsuite-25.10.1/autobahntestsuite/...
            if len(parts) < 3 or parts[1] != PACKAGE or not member.isfile() or ".." in parts:
                continue
            if parts[2] in FOLDERS or "/".join(parts[2:]) in FILES:
                path = os.path.join(DESTINATION, *parts[2:])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as output:
                    output.write(files.extractfile(member).read())


def port(tool, path, is_case):
    """Rewrites one module for Python 3."""
    with open(path, "rb") as stream:
        text = stream.read().decode("latin-1" if is_case else "utf-8").replace("\r\n", "\n")
    if not text.endswith("\n"):
        text += "\n"
    text = re.sub(r"^#.*coding[:=]\s*[-\w.]+.*$", "#", text, flags=re.M)
    text = str(tool.refactor_string(text, path))

    # Imports that were relative without saying so.
    def absolute(match):
        is_package = match.group(1) == "case" and not is_case
        return f"from {PACKAGE}.case{'' if is_package else '.' + match.group(1)} import"

    text = re.sub(r"^from (case\d\w*|case) import", absolute, text, flags=re.M)
    if not is_case:
        modules = "caseset|report|spectemplate|util|interfaces"
        text = re.sub(rf"^from ({modules}) import", rf"from {PACKAGE}.\1 import", text, flags=re.M)
    if is_case or os.path.basename(path) == "fuzzing.py":
        compatible = f"from {PACKAGE}.py3compat import"
        text = text.replace("import binascii, array", f"import array\n{compatible} binascii")
        text = re.sub(r"^import binascii\s*$", f"{compatible} binascii", text, flags=re.M)
        text = text.replace(
            "import copy, os, pkg_resources, hashlib, binascii",
            f"import copy, os, hashlib\n{compatible} binascii, pkg_resources",
        )
    text = text.replace(".tostring()", ".tobytes().decode('latin-1')").replace("(object, Case, )", "(Case, )")
    write(path, text)


def replace(relative, replacements):
    path = os.path.join(DESTINATION, relative)
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    for entry in replacements:
        if len(entry) == 3:
            text = re.sub(entry[1], entry[2], text, flags=re.M)
        elif entry[0] in text:
            text = text.replace(*entry)
        else:
            sys.exit(f"{relative}: nothing to replace: {entry[0]!r}")
    write(path, text)


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def main(archive):
    if sys.prefix == sys.base_prefix:
        sys.exit("run this in a virtual environment: it replaces packages")
    extract(archive)
    tool = refactor.RefactoringTool(["lib2to3.fixes.fix_" + name for name in FIXERS])
    for folder, _, files in os.walk(DESTINATION):
        for file in sorted(file for file in files if file.endswith(".py") and file != LEFT_OUT + ".py"):
            port(tool, os.path.join(folder, file), os.path.basename(folder) == "case")
    write(os.path.join(DESTINATION, "py3compat.py"), COMPATIBILITY)
    version = f"from {PACKAGE}._version import __version__\nversion = __version__\n"
    write(os.path.join(DESTINATION, "__init__.py"), version)
    for relative, replacements in REPLACEMENTS.items():
        replace(relative, replacements)
    launcher = os.path.join(os.path.dirname(sys.executable), "wstest")
    write(launcher, f"#!{sys.executable}\nfrom {PACKAGE}.wstest import run\n\nrun()\n")
    os.chmod(launcher, 0o755)
    print(f"installed {DESTINATION} and {launcher}")


if __name__ == "__main__":
    main(sys.argv[1])
