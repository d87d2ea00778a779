#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes libraries to link with in place of the C library, so that the result runs with an older glibc.

    scripts/glibc_stubs.py 2.28 FOLDER     then link with -LFOLDER

glibc keeps every version of a symbol that was ever published (`pow@GLIBC_2.2.5` next to `pow@@GLIBC_2.29`); a linker takes the
newest. The stubs have of each symbol the newest version that is not newer than the one asked for, and none of the later symbols.
What is missing then has to come from elsewhere: src/cordon/python/old_glibc.cpp. The stubs hold no code.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

# Threads and some more had libraries of their own before glibc 2.34.
FORMER_HOMES = {
    "libpthread.so.0": r"_*pthread_|_*sem_|thrd_|mtx_|cnd_|tss_|call_once$",
    "libdl.so.2": r"dl",
    "librt.so.1": r"shm_|timer_|_*mq_|aio_|lio_",
    "libresolv.so.2": r"_*(ns|res|dn)_",
    "libutil.so.1": r"forkpty$|openpty$|login|logout|logwtmp",
    "libanl.so.1": r"gai_|getaddrinfo_a",
}
# glibc keeps these for old programs alone; a program that is to run with an old glibc needs them.
KEPT = {"__xstat", "__lxstat", "__fxstat"}
LIBRARIES = ["libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"]
SYMBOL = re.compile(r"\s*\d+: [0-9a-f]+\s+(\S+) (\w+)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(?!UND)\S+ (\S+?)(@@?)GLIBC_([\d.]+)$")


def number(version):
    return tuple(int(part) for part in version.split("."))


def file_of(compiler, name):
    path = subprocess.run([*compiler, "-print-file-name=" + name], check=True, capture_output=True, text=True).stdout.strip()
    if not os.path.isabs(path):
        sys.exit(f"glibc_stubs: {name} was not found")
    return path


def symbols_of(path, wanted):
    """name -> (version, kind, size, whether a later version is left out)"""
    listing = subprocess.run(["readelf", "-W", "--dyn-syms", path], check=True, capture_output=True, text=True).stdout
    found, later, current = {}, set(), set(KEPT)
    for line in listing.splitlines():
        match = SYMBOL.match(line)
        if not match:
            continue
        size, kind, name, mark, version = match.groups()
        if mark == "@@":
            current.add(name)
        if number(version) > wanted:
            later.add(name)
        elif name not in found or number(version) > number(found[name][0]):
            found[name] = (version, kind, int(size, 0))
    return {name: (*entry, name in later) for name, entry in found.items() if name in current}


def home(name, library, moved):
    if library == "libc.so.6" and moved:
        for former, names in FORMER_HOMES.items():
            if re.match(names, name):
                return former
    return library


def write_stub(compiler, folder, library, symbols):
    lines, versions = [], set()
    for index, (name, (version, kind, size)) in enumerate(sorted(symbols.items())):
        function = kind in ("FUNC", "IFUNC")
        section = ".text" if function else '.tbss,"awT",@nobits' if kind == "TLS" else ".bss"
        lines += [f".section {section}" if kind == "TLS" else section, f".globl s{index}"]
        lines += [f".type s{index}, @{'function' if function else 'tls_object' if kind == 'TLS' else 'object'}"]
        lines += [f".size s{index}, {max(size, 1)}", f"s{index}: .skip {1 if function else max(size, 1)}"]
        lines += [f".symver s{index}, {name}@@@GLIBC_{version}"]
        versions.add(version)
    source, script = folder / (library + ".s"), folder / (library + ".map")
    source.write_text("\n".join(lines) + '\n.section .note.GNU-stack,"",@progbits\n')
    script.write_text("".join(f"GLIBC_{version} {{}};\n" for version in sorted(versions, key=number)))
    words = ["-shared", "-nostdlib", "-Wl,-soname," + library, f"-Wl,--version-script={script}", "-o", str(folder / library)]
    subprocess.run([*compiler, *words, str(source)], check=True)
    source.unlink()
    script.unlink()


def main():
    wanted, folder = number(sys.argv[1]), Path(sys.argv[2]).resolve()
    compiler = os.environ.get("CXX", "g++").split()
    folder.mkdir(parents=True, exist_ok=True)
    stubs = {library: {} for library in [*LIBRARIES, *FORMER_HOMES]}
    for library in LIBRARIES:
        for name, (version, kind, size, moved) in symbols_of(file_of(compiler, library), wanted).items():
            stubs[home(name, library, moved)][name] = (version, kind, size)
    for library, symbols in stubs.items():
        if symbols:
            write_stub(compiler, folder, library, symbols)
    others = " ".join(str(folder / library) for library in stubs if library not in ("libc.so.6", "libm.so.6") and stubs[library])
    nonshared = file_of(compiler, "libc_nonshared.a")
    (folder / "libc.so").write_text(f"GROUP ( {folder / 'libc.so.6'} {nonshared} AS_NEEDED ( {others} ) )\n")
    (folder / "libm.so").write_text(f"GROUP ( {folder / 'libm.so.6'} )\n")


if __name__ == "__main__":
    main()
