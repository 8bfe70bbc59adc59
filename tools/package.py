#!/usr/bin/env python3
"""Packs the program for machines without Rust: an archive, and a wheel for pip. Both carry libmujoco and all licenses.

usage: tools/package.py      (after `cargo build --release`; writes to target/package/)

In the archive the library lies beside the binary, where its rpath looks first. In the wheel both lie in the package
`locomotion`, and the command `locomotion` is a script that becomes the binary. Man pages and shell completions lie below
`share/`, where pip and a copy to /usr/local put them in the right places.
"""

import base64
import gzip
import hashlib
import io
import json
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PLATFORM = "x86_64-unknown-linux-gnu"
LAUNCHER = '''"""Starts the program that this package carries."""

import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).with_name("locomotion")
    os.execv(program, ["locomotion", *sys.argv[1:]])


if __name__ == "__main__":
    main()
'''


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def third_parties():
    """The licenses of all crates, and of what is not a crate."""
    metadata = json.loads(run("cargo", "metadata", "--offline", "--locked", "--format-version", "1",
                              "--filter-platform", PLATFORM))
    text = ["libmujoco: Apache-2.0, Copyright DeepMind Technologies Limited, https://github.com/google-deepmind/mujoco",
            "Roboto: Apache-2.0, Copyright Google Inc.", ""]
    for package in sorted(metadata["packages"], key=lambda package: (package["name"], package["version"])):
        if package["name"] == "locomotion":
            continue
        text.append(f"{'=' * 80}\n{package['name']} {package['version']}: {package['license'] or 'see below'}")
        folder = pathlib.Path(package["manifest_path"]).parent
        for file in sorted(folder.iterdir()):
            if file.is_file() and re.match(r"(?i)(licen[sc]e|copying|notice|unlicense)", file.name):
                text.append(f"--- {file.name}\n{file.read_text(errors='replace').strip()}")
    return "\n".join(text) + "\n"


def glibc(binary):
    """The newest version of the C library whose symbols the binary needs."""
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", str(binary)))
    return max((int(major), int(minor)) for major, minor in found)


def gather(folder):
    """The files of a package: name and bytes, or a path to copy."""
    binary = folder / "locomotion"
    shutil.copy(ROOT / "target/release/locomotion", binary)
    run("strip", str(binary))
    library = next((ROOT / ".mujoco").glob("libmujoco.so.*"))
    files = {"locomotion": binary.read_bytes(), library.name: library.read_bytes()}
    files |= {name: (ROOT / name).read_bytes() for name in ("LICENSE-MIT", "LICENSE-APACHE", "README.md", "CHANGELOG.md")}
    files["THIRD-PARTY-LICENSES.txt"] = third_parties().encode()
    return files, glibc(binary)


def share(folder):
    """Man pages and completions, by their places below a prefix."""
    program = ROOT / "target/release/locomotion"
    run(program, "man", folder / "man")
    files = {f"share/man/man1/{page.name}": page.read_bytes() for page in sorted((folder / "man").iterdir())}
    places = {"bash": "bash-completion/completions/locomotion", "zsh": "zsh/site-functions/_locomotion",
              "fish": "fish/vendor_completions.d/locomotion.fish"}
    return files | {f"share/{place}": run(program, "completions", shell).encode() for shell, place in places.items()}


def is_program(name):
    return name in ("locomotion", "locomotion/locomotion")


def archive(files, version, target):
    """Without times and owners, so that the same files make the same archive."""
    name = f"locomotion-{version}-linux-x86_64"
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as out:
        for file, content in files.items():
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mode = len(content), 0o755 if is_program(file) else 0o644
            out.addfile(entry, io.BytesIO(content))
    (target / f"{name}.tar.gz").write_bytes(gzip.compress(plain.getvalue(), mtime=0))
    return target / f"{name}.tar.gz"


def wheel(files, shared, version, libc, target):
    tag = f"py3-none-manylinux_{libc[0]}_{libc[1]}_x86_64"
    info = f"locomotion-{version}.dist-info"
    content = {f"locomotion/{name}": data for name, data in files.items()}
    content |= {f"locomotion-{version}.data/data/{name}": data for name, data in shared.items()}
    content["locomotion/__init__.py"] = b""
    content["locomotion/__main__.py"] = LAUNCHER.encode()
    content[f"{info}/METADATA"] = (f"Metadata-Version: 2.1\nName: locomotion\nVersion: {version}\n"
                                   "Summary: Teaches MuJoCo robots to walk without gradients\n"
                                   "License: MIT OR Apache-2.0\nRequires-Python: >=3.8\n").encode()
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: package.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    content[f"{info}/entry_points.txt"] = b"[console_scripts]\nlocomotion = locomotion.__main__:main\n"
    record = ""
    for name, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    content[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    file = target / f"locomotion-{version}-{tag}.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if is_program(name) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(entry, data)
    return file


def main():
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]["version"]
    target = ROOT / "target/package"
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        files, libc = gather(pathlib.Path(folder))
        shared = share(pathlib.Path(folder))
    for file in (archive(files | shared, version, target), wheel(files, shared, version, libc, target)):
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB, needs glibc {libc[0]}.{libc[1]}")


if __name__ == "__main__":
    main()
