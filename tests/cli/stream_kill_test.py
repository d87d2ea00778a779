#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills `cordon stream` with SIGKILL at random times, again and again; what comes out in the end must be, byte for byte, what
an undisturbed run gives: stream_kill_test.py CORDON"""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CORDON = os.path.abspath(sys.argv.pop(1))
SEED = ["--seed", "5", "--insecure-seed"]
POLICY = """
[attributes.id]
role = "person"
[attributes.age]
role = "quasi"
type = "numeric"
range = [0, 99]
[attributes.sex]
role = "quasi"
type = "categorical"
values = ["F", "M"]
[attributes.zip]
role = "quasi"
type = "numeric"
range = [0, 9999]
[attributes.disease]
role = "sensitive"
type = "categorical"
unguarded = "a test"
[[privacy]]
model = "ks-anonymity"
k = 10
[stream]
delay = 500
max_dead_letters = 100000
"""
# No delay; leaves that wait by chance, a sample, tuples that are held back.
RTREE = POLICY.replace("delay = 500\n", "") + """
[algorithm]
name = "stream-rtree"
[algorithm.stream-rtree]
active = 300
sample = 500
sample_window = 2000
"""
# Windows: groups that wait with the window that they were compared with.
WINDOWS = POLICY.replace("delay = 500\n", "").replace('role = "sensitive"\ntype = "categorical"\n',
                                                      'role = "sensitive"\ntype = "categorical"\nvalues = ["d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8"]\n') + """
[[privacy]]
model = "window-closeness"
sensitive = "disease"
window = 800
t = 0.3
distance = "equal"
[algorithm.sabre-w]
step = 200
rho = 0.5
lazy = true
"""


def rows(count):
    chance = random.Random(1)
    lines = ["id,age,sex,zip,disease"]
    for i in range(count):
        lines.append(f"p{chance.randrange(count // 2)},{chance.randrange(100)},{chance.choice('FM')},{chance.randrange(10000)},d{chance.randrange(9)}")
        if chance.randrange(50) == 0:
            lines.append(chance.choice(["p1,x,F,1,d1", "p1,1,F", 'p1,1,"F,1,d1', "p1,100,F,1,d1"]))
    return "\n".join(lines) + "\n"


class Kills(unittest.TestCase):
    kills = 60
    policy = POLICY

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)
        self.input = rows(15000)
        for name, text in (("in.csv", self.input), ("p.toml", self.policy)):
            with open(name, "w") as file:
                file.write(text)
        start = time.time()
        subprocess.run([CORDON, "stream", "in.csv", "--policy", "p.toml", "--output", "calm.csv", "--audit", "calm.audit", *SEED],
                       check=True, stdout=subprocess.DEVNULL)
        self.seconds = time.time() - start
        self.chance = random.Random(7)

    def tearDown(self):
        os.chdir("/")
        shutil.rmtree(self.folder)

    def same(self, a, b):
        with open(a, "rb") as one, open(b, "rb") as other:
            self.assertEqual(one.read(), other.read(), f"{a} and {b}")

    def test_files(self):
        command = [CORDON, "stream", "in.csv", "--policy", "p.toml", "--output", "out.csv", "--audit", "out.audit", "--checkpoint",
                   "ck", "--checkpoint-every", "700", *SEED]
        kills = ended = 0
        while kills < self.kills or ended == 0:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            if kills < self.kills:
                time.sleep(self.chance.uniform(0, 0.7 * self.seconds))
            else:
                process.wait()
            if process.poll() is None:
                process.kill()
                process.wait()
                kills += 1
                continue
            self.assertEqual(process.returncode, 0)
            ended += 1
            self.same("calm.csv", "out.csv")
            self.same("calm.audit", "out.audit")
            self.same("calm.csv.dead-letters.csv", "out.csv.dead-letters.csv")
            shutil.rmtree("ck")
            for name in ("out.csv", "out.audit", "out.csv.dead-letters.csv"):
                os.remove(name)
        self.assertGreaterEqual(kills, self.kills)

    def test_pipes(self):
        """The reader keeps whole lines only, and says after a crash which is the last it has."""
        calm = subprocess.run([CORDON, "stream", "-", "--policy", "p.toml", "--output", "-", "--sequence", *SEED],
                              input=self.input.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        got, kills = b"", 0
        while True:
            command = [CORDON, "stream", "-", "--policy", "p.toml", "--output", "-", "--sequence", "--checkpoint", "ck",
                       "--checkpoint-every", "700", *SEED]
            if os.path.isdir("ck") and any(name.startswith("checkpoint-") for name in os.listdir("ck")):
                command += ["--resume-after", str(max(0, got.count(b"\n") - 1))]
                if got.count(b"\n") <= 1:
                    got = b""  # the header comes again
            with open("in.csv", "rb") as source:
                process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
                first = b""
                if kills < 20:
                    enough = self.chance.randrange(len(calm) // 8)
                    while len(first) < enough and (more := process.stdout.read(enough - len(first))):
                        first += more
                    process.kill()  # of no effect if it has ended
                    kills += 1
                out, err = process.communicate()
            out = first + out
            got += out[:out.rfind(b"\n") + 1]
            self.assertIn(process.returncode, (0, -9), err)
            if process.returncode == 0:
                break
        self.assertEqual(got, calm)
        self.assertGreaterEqual(kills, 8)  # none of them let more than an eighth through, and what a pipe holds


class KillsOfAnRtree(Kills):
    policy = RTREE
    kills = 25


class KillsOfWindows(Kills):
    policy = WINDOWS
    kills = 25


if __name__ == "__main__":
    unittest.main()
