# SPDX-License-Identifier: Apache-2.0
"""Two processes of `cordon party` on loopback, for tests and benchmarks."""
import csv
import os
import re
import subprocess
import tempfile
import threading


def scratch():
    """A folder of one's own; in memory if possible, because a run makes every frame durable."""
    return tempfile.mkdtemp(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def write_csv(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


class Process:
    """One side. Its standard error is read all the time, so that the address it opens is known."""

    def __init__(self, command, folder, environment):
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, **environment})
        self.err, self.port, self.known = "", None, threading.Event()
        self.readers = [threading.Thread(target=self._read_err), threading.Thread(target=self._read_out)]
        for reader in self.readers:
            reader.start()

    def _read_err(self):
        for line in self.process.stderr:
            self.err += line
            if found := re.match(r"listening on .*:(\d+)$", line.strip()):
                self.port = int(found[1])
                self.known.set()
        self.known.set()

    def _read_out(self):
        self.out = self.process.stdout.read()

    def wait(self):
        code = self.process.wait(timeout=600)
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def end_soon(self):
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.wait()


class Parties:
    """A folder with a joint policy, keys, and the files of `bank` and `bureau`."""
    NAMES = ("bank", "bureau")

    def __init__(self, cordon, folder, body, max_ids=100_000):
        self.cordon, self.folder = cordon, folder
        self.call("party", "keygen", "--pepper", "pepper.key")
        policy = body
        for name in self.NAMES:
            line = self.call("party", "keygen", "--key", f"{name}.key").stdout
            policy += f"\n[parties.{name}]\n{line}max_ids = {max_ids}\n"
        with open(self.path("joint.toml"), "w") as file:
            file.write(policy)
        self.digest = re.search(r"joint policy: ([0-9a-f]{64})", self.call("policy", "check", "joint.toml", "--party", "bank").stdout)[1]

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments, code=0):
        done = subprocess.run([self.cordon, *arguments], cwd=self.folder, capture_output=True, text=True)
        assert code is None or done.returncode == code, (arguments, done)
        return done

    def command(self, verb, name, run, *more):
        """`run` tells the files of one run from those of another."""
        return [self.cordon, "party", verb, f"{name}.csv", "--policy", "joint.toml", "--party", name, "--key", f"{name}.key",
                "--pepper", "pepper.key", "--approve", self.digest, "--journal", f"{name}{run}.journal",
                "--register", f"{name}.register", "--output", f"{name}{run}.out.csv", *more]

    def both(self, verb, run="", listener=0, environment=({}, {}), more=()):
        """One side listens at a port of the system's choice, the other connects. Gives both processes at their end."""
        first, second = self.NAMES[listener], self.NAMES[1 - listener]
        environment = dict(zip(self.NAMES, environment))
        sides = {first: Process(self.command(verb, first, run, "--listen", "127.0.0.1:0", *more), self.folder, environment[first])}
        sides[first].known.wait()
        if sides[first].port is None and verb == "resume":  # at its end, without the other; so is the other, but for its files
            sides[second] = Process(self.command(verb, second, run, "--connect", "127.0.0.1:1", "--timeout", "1"), self.folder, {})
        elif sides[first].port is not None:
            sides[second] = Process(self.command(verb, second, run, "--connect", f"127.0.0.1:{sides[first].port}", *more),
                                    self.folder, environment[second])
        if second in sides and sides[second].wait() < 0:
            sides[first].end_soon()  # killed before it called, the other would wait for its call
        for side in sides.values():
            side.wait()
        return [sides.get(name) for name in self.NAMES]

    def bytes_of(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()
