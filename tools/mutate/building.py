"""A copy of the package with all mutants in it, built once."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import schemata
from files import FILES, File
from sites import Site, sites

ERROR = re.compile(r"^(/\S+?\.swift):(\d+):(\d+): error: (.*)$", re.MULTILINE)
OPERATOR_NAME = re.compile(r"[\u2200-\u22ef]{2}")
NUMBERS = 1000
LITERAL_NAME = re.compile(r"\bmutated(\d+)\b")


class Tree:
    """The copy, and which sites are in it."""

    def __init__(self, top: Path, folder: Path) -> None:
        self.top, self.folder = top, folder
        self.tree, self.scratch = folder / "tree", folder / "build"
        self.left_alone_path = folder / "left-alone.txt"
        self.texts = {file.path: (top / file.path).read_text() for file in FILES}
        self.by_file: dict[str, list[Site]] = {}
        # A file has numbers of its own, so that a change of one is no change of those behind it.
        for index, file in enumerate(FILES):
            found = self.by_file[file.path] = sites(file.name, self.texts[file.path])
            if len(found) > NUMBERS:
                sys.exit(f"mutate: {file.path} has {len(found)} sites, and numbers for {NUMBERS}")
            for place, site in enumerate(found):
                site.number = index * NUMBERS + place
        self.sites = {site.number: site for found in self.by_file.values() for site in found}
        self.left_alone: set[int] = self.remembered()
        self.columns: dict[str, dict[tuple[int, int], int]] = {}

    # What did not compile is remembered by its place and text, for as long as the file is the same.
    def key(self, site: Site) -> str:
        path = next(path for path, found in self.by_file.items() if site in found)
        return f"{hash_of(self.texts[path])} {path} {site.start} {site.text}"

    def remembered(self) -> set[int]:
        if not self.left_alone_path.exists():
            return set()
        known = set(self.left_alone_path.read_text().splitlines())
        keys = {}
        for path, found in self.by_file.items():
            digest = hash_of(self.texts[path])
            keys |= {f"{digest} {path} {site.start} {site.text}": site.number for site in found}
        return {keys[key] for key in known if key in keys}

    def remember(self) -> None:
        keys = [self.key(self.sites[number]) + "\n" for number in sorted(self.left_alone)]
        self.left_alone_path.write_text("".join(keys))

    # Only what changed is written, so that only it is compiled again.
    def write(self, path: str, text: str) -> None:
        target = self.tree / path
        if target.exists() and target.read_text() == text:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def copy(self) -> None:
        """The files that git tracks, without those that are gone."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.top, capture_output=True, check=True, text=True,
        ).stdout.split("\0")
        kept = {path for path in listed if path and (self.top / path).is_file()}
        generated = {f"{file.module}/Mutants.swift" for file in FILES}
        for path in kept - set(self.texts) - {"Package.swift"}:
            source, target = self.top / path, self.tree / path
            if target.exists():
                old, new = target.stat(), source.stat()
                if (old.st_mtime, old.st_size) == (new.st_mtime, new.st_size):
                    continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
        for target in [*self.tree.glob("Sources/**/*"), *self.tree.glob("Tests/**/*")]:
            path = str(target.relative_to(self.tree))
            if target.is_file() and path not in kept | generated and "/CMutants/" not in path:
                target.unlink()
        if (self.top / "Package.resolved").exists():
            shutil.copy2(self.top / "Package.resolved", self.tree / "Package.resolved")
        self.write("Package.swift", self.manifest())
        self.write("Sources/System/CMutants/include/CMutants.h", schemata.HEADER)
        self.write("Sources/System/CMutants/CMutants.c", schemata.SOURCE)

    def manifest(self) -> str:
        text = (self.top / "Package.swift").read_text()
        changes = [
            ("    .treatAllWarnings(as: .error),\n", ""),
            (
                "        dependencies: dependencies,\n        path: \"Sources",
                "        dependencies: dependencies + [\"CMutants\"],\n        path: \"Sources",
            ),
            (
                "\"-gline-tables-only\"]",
                "\"-gline-tables-only\", \"-Xfrontend\", \"-solver-expression-time-threshold=30\"]",
            ),
            (
                "    targets: [\n",
                "    targets: [\n        .target(name: \"CMutants\", path: \"Sources/System/CMutants\"),\n",
            ),
        ]
        for old, new in changes:
            if old not in text:
                sys.exit(f"mutate: Package.swift has changed: it lacks {old!r}")
            text = text.replace(old, new, 1)
        return text

    def mutate(self) -> None:
        """Writes the files with the sites that are not left alone."""
        modules: dict[str, list[Site]] = {}
        imports: dict[str, set[str]] = {}
        for file in FILES:
            active = [site for site in self.by_file[file.path] if site.number not in self.left_alone]
            text, self.columns[file.path] = schemata.rewritten(self.texts[file.path], active)
            self.write(file.path, text.replace("@inlinable", ""))
            modules.setdefault(file.module, []).extend(active)
            imports.setdefault(file.module, set()).update(re.findall(r"^(?:package )?import (\w+)", text, re.MULTILINE))
        for module, found in modules.items():
            self.write(f"{module}/Mutants.swift", schemata.declarations(found, imports[module]))

    def blamed(self, output: str, seen: set[tuple[str, int]]) -> set[int]:
        """The sites that the compiler's errors are about."""
        blamed: set[int] = set()
        for path, line_text, column_text, message in ERROR.findall(output):
            path = str(Path(path).relative_to(self.tree)) if path.startswith(str(self.tree)) else path
            line, column = int(line_text), int(column_text)
            if path not in self.columns:
                continue
            here = {place: number for place, number in self.columns[path].items() if place[0] == line}
            named = {schemata.number(name) for name in OPERATOR_NAME.findall(message)}
            named |= {int(number) for number in LITERAL_NAME.findall(message)}
            named &= set(here.values())
            again = (path, line) in seen
            seen.add((path, line))
            reach = 0
            while not here and reach < 12:
                reach += 1
                here = {place: number for place, number in self.columns[path].items() if abs(place[0] - line) <= reach}
            if "reasonable time" in message and not again:
                literals = {number for number in here.values() if self.sites[number].kind in ("integer", "float")}
                blamed |= literals or set(here.values())
            elif named and not again:
                blamed |= named
            elif again or reach:
                blamed |= set(here.values())
            else:
                nearest = min(here, key=lambda place: abs(place[1] - column))
                blamed.add(here[nearest])
        return blamed - self.left_alone

    def build(self, libraries: list[str]) -> Path:
        """Builds until all compiles; what does not is left as it was. Returns the test binary."""
        self.copy()
        environment = dict(os.environ, MAPEVERYTHING_TESTS=",".join(libraries))
        command = [
            "swift", "build", "-c", "release", "--scratch-path", str(self.scratch),
            "--product", "mapeverythingPackageTests",
        ]
        seen: set[tuple[str, int]] = set()
        while True:
            self.mutate()
            run = subprocess.run(command, cwd=self.tree, env=environment, capture_output=True, text=True)
            output = run.stdout + run.stderr
            (self.folder / "build.log").write_text(output)
            if run.returncode == 0:
                break
            blamed = self.blamed(output, seen)
            if not blamed:
                log = self.folder / "build.log"
                sys.exit(f"mutate: the build failed for another reason than a mutant: {log}\n{output[-3000:]}")
            print(f"left as they are, as they do not compile: {len(blamed)}", file=sys.stderr, flush=True)
            for number in sorted(blamed):
                print(f"  {self.sites[number]}", file=sys.stderr)
            self.left_alone |= blamed
            self.remember()
        return self.scratch / "release" / "mapeverythingPackageTests.xctest"

    def active(self, file: File) -> list[Site]:
        return [site for site in self.by_file[file.path] if site.number not in self.left_alone]


def hash_of(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]
