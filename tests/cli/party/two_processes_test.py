#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cordon party` as two processes on loopback: the release is, byte by byte, that of tdr on the joined table, for any split of
the columns; a side that is killed at any write or sync goes on to the same bytes; what is not a frame of the run ends it.

    two_processes_test.py CORDON DIE_AT_LIBRARY
"""
import concurrent.futures
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import unittest

from two_parties import Parties, Process, scratch, write_csv

CORDON, LIBRARY = (os.path.abspath(path) for path in (sys.argv.pop(1), sys.argv.pop(1)))
ALL = "CORDON_TEST_ALL" in os.environ  # every place to be killed at, not every fifth

HEAD = """
[data]
on_missing = "drop"
missing = ["?"]
[attributes.id]
role = "person"
"""
TAIL = """
[attributes.label]
role = "class"
[algorithm]
name = "tdr"
"""
JOBS = "Janitor;Blue;Any\nMover;Blue;Any\nClerk;White;Any\nLawyer;White;Any\n"


def column_policy(name, kind, owner):
    if kind == "job":
        return f'[attributes.{name}]\nrole = "quasi"\nhierarchy = "job.csv"\nowner = "{owner}"\n'
    return f'[attributes.{name}]\nrole = "quasi"\ntype = "numeric"\nrange = [0, 40]\ngrid = 4\nowner = "{owner}"\n'


class Table:
    """Random people, columns of two kinds, and a split of the columns."""

    def __init__(self, seed, people=60, columns=3, strangers=4, k=None):
        draw = random.Random(seed)
        self.kinds = [draw.choice(["job", "number"]) for _ in range(columns)]
        self.names = [f"c{i}" for i in range(columns)]
        self.owner = [draw.choice(Parties.NAMES) for _ in range(columns)]
        if seed % 5 == 4:
            self.owner = ["bank"] * columns  # one side may have nothing but the class
        self.rows = []
        for person in range(people):
            label = draw.choice("YN")
            cells = [draw.choice(["Janitor", "Mover", "Clerk"] if label == "Y" else ["Clerk", "Lawyer", "Mover"]) if kind == "job" else
                     f"{draw.randrange(0, 20) + (15 if label == 'Y' else 0)}{draw.choice(['', '.5'])}" for kind in self.kinds]
            if person % 17 == 3:
                cells[draw.randrange(columns)] = "?"
            self.rows.append([f"p{person}", *cells, label])
        templates = ""
        for i in range(1 + draw.randrange(2)):
            on = sorted({*draw.sample(self.names, draw.randint(1, columns)), *(self.names if i == 0 else [])})
            templates += f'\n[[privacy]]\nmodel = "k-anonymity"\nk = {k or draw.randint(2, 6)}\non = {json.dumps(on)}\n'
        self.policy = HEAD + "".join(column_policy(*each) for each in zip(self.names, self.kinds, self.owner)) + TAIL + templates
        self.strangers, self.draw = strangers, draw

    def write(self, folder):
        with open(os.path.join(folder, "job.csv"), "w") as file:
            file.write(JOBS)
        write_csv(os.path.join(folder, "joined.csv"), ["id", *self.names, "label"], self.rows)
        for party in Parties.NAMES:
            own = [i for i, owner in enumerate(self.owner) if owner == party]
            rows = [[row[0], *(row[1 + i] for i in own), row[-1]] for row in self.rows]
            rows += [[f"{party}{i}", *("Clerk" if self.kinds[c] == "job" else "7" for c in own), "Y"] for i in range(self.strangers)]
            self.draw.shuffle(rows)
            write_csv(os.path.join(folder, f"{party}.csv"), ["id", *(self.names[i] for i in own), "label"], rows)


class TestCase(unittest.TestCase):
    def parties(self, table):
        folder = scratch()
        self.addCleanup(shutil.rmtree, folder)
        table.write(folder)
        parties = Parties(CORDON, folder, table.policy)
        parties.call("anonymize", "joined.csv", "--policy", "joint.toml", "--output", "central.csv")
        return parties

    def check_released(self, parties, run=""):
        central = parties.bytes_of("central.csv")
        for name in Parties.NAMES:
            self.assertEqual(parties.bytes_of(f"{name}{run}.out.csv"), central)
            self.assertFalse(os.path.exists(parties.path(f"{name}{run}.journal.private")))


class HonestRuns(TestCase):
    def test_the_release_is_that_of_the_joined_table(self):
        refinements = 0
        for seed in range(12):
            with self.subTest(seed=seed):
                parties = self.parties(Table(seed))
                sides = parties.both("run", listener=seed % 2, more=["--json"])
                self.assertEqual([side.process.returncode for side in sides], [0, 0], [side.err for side in sides])
                self.check_released(parties)
                reports = [json.loads(side.out) for side in sides]
                self.assertEqual(reports[0]["run"], reports[1]["run"])
                refinements += reports[0]["refinements"]
                for name in Parties.NAMES:
                    audit = parties.call("party", "audit", f"{name}.journal", "--policy", "joint.toml", "--release", "central.csv", "--json")
                    audit = json.loads(audit.stdout)
                    self.assertTrue(audit["finished"] and audit["signed_by_both"] and audit["release_fits"])
                    for cost in audit["costs"]:
                        self.assertEqual(cost["bytes"], cost["predicted"], cost)
                    manifest = json.loads(parties.bytes_of(f"{name}.out.csv.manifest.json"))
                    self.assertIn("semi-honest", manifest["parties"]["security"])
                    self.assertEqual(parties.call("verify", f"{name}.out.csv", "--policy", "joint.toml").returncode, 0)
                replay = parties.call("party", "replay", "bank.journal", "bureau.journal", "--table", "bank.csv", "--table", "bureau.csv",
                                      "--policy", "joint.toml", "--release", "bank.out.csv")
                self.assertIn("the same: ", replay.stdout)
        self.assertGreater(refinements, 20)

    def test_a_lie_is_shown_by_a_replay(self):
        table = Table(1, k=3)
        parties = self.parties(table)
        parties.both("run")
        lines = parties.bytes_of("bank.csv").decode().splitlines()
        number = next(i for i, line in enumerate(lines) if line.startswith("p1,"))
        for changed in ("Y", "N"):
            if not lines[number].endswith(changed):
                lines[number] = lines[number][:-1] + changed
                break
        write_csv(parties.path("other.csv"), lines[0].split(","), [line.split(",") for line in lines[1:]])
        replay = parties.call("party", "replay", "bank.journal", "--table", "other.csv", "--table", "bureau.csv", "--policy", "joint.toml", code=1)
        self.assertIn("the table of bank is not the one that it committed itself to", replay.stdout)

    def test_a_replay_names_the_first_frame_that_differs(self):
        parties = self.parties(Table(4, k=3))  # all columns are the bank's
        parties.both("run")
        lines = [line.split(",") for line in parties.bytes_of("bank.csv").decode().splitlines()]
        header, rows = lines[0], lines[1:]
        turned = [[row[0], *other[1:-1], row[-1]] for row, other in zip(rows, rows[7:] + rows[:7])]  # the cells of other people
        write_csv(parties.path("bank_says.csv"), header, turned)
        # The journal of the bureau does not know the salt of the bank's commitment.
        replay = parties.call("party", "replay", "bureau.journal", "--table", "bank_says.csv", "--table", "bureau.csv", "--policy",
                              "joint.toml", code=1)
        self.assertRegex(replay.stdout, r"differs: frame \d+ of the journal \(round \d+, told by bank\)")
        replay = parties.call("party", "replay", "bureau.journal", "--table", "bank.csv", "--table", "bureau.csv", "--policy", "joint.toml")
        self.assertIn("the same: ", replay.stdout)

    def test_plain_scores_give_the_same_table_and_are_audited(self):
        table = Table(2)
        table.policy += '\n[joint]\ncompare = "plain"\nscore_disclosure = "accepted"\n'
        parties = self.parties(table)
        sides = parties.both("run")
        self.assertEqual([side.process.returncode for side in sides], [0, 0])
        self.check_released(parties)
        self.assertIn("SCORE_REVEAL", parties.call("party", "audit", "bank.journal").stdout)


class Refusals(TestCase):
    def test_another_policy_over_the_same_people_is_refused(self):
        parties = self.parties(Table(3, k=3))
        self.assertEqual([side.process.returncode for side in parties.both("run")], [0, 0])
        self.assertEqual([side.process.returncode for side in parties.both("run", run="2")], [0, 0])  # the same policy may run again
        with open(parties.path("joint.toml")) as file:
            text = file.read()
        with open(parties.path("joint.toml"), "w") as file:
            file.write(text.replace("grid = 4", "grid = 5").replace("k = 3", "k = 4"))
        parties.digest = parties.call("policy", "check", "joint.toml", "--party", "bank").stdout.split("joint policy: ")[1][:64]
        side = parties.call(*parties.command("run", "bank", "3", "--listen", "127.0.0.1:0")[1:], code=2)
        self.assertIn("of these people were in an earlier run by another joint policy", side.stderr)
        self.assertFalse(os.path.exists(parties.path("bank3.journal")))
        sides = parties.both("run", run="3", more=["--again", "the first table was destroyed"])
        self.assertEqual([side.process.returncode for side in sides], [0, 0])

    def test_differing_policies_end_the_run_before_an_id_leaves(self):
        parties = self.parties(Table(5, k=3))
        other = parties.bytes_of("joint.toml").decode().replace("k = 3", "k = 2")
        with open(parties.path("other.toml"), "w") as file:
            file.write(other)
        digest = parties.call("policy", "check", "other.toml", "--party", "bureau").stdout.split("joint policy: ")[1][:64]
        first = Process(parties.command("run", "bank", "", "--listen", "127.0.0.1:0"), parties.folder, {})
        first.known.wait()
        command = parties.command("run", "bureau", "", "--connect", f"127.0.0.1:{first.port}")
        command[command.index("joint.toml")], command[command.index("--approve") + 1] = "other.toml", digest
        second = Process(command, parties.folder, {})
        self.assertEqual([first.wait(), second.wait()], [2, 2])
        self.assertIn("the other party has another policy", second.err + first.err)
        for name in Parties.NAMES:
            audit = json.loads(parties.call("party", "audit", f"{name}.journal", "--json").stdout)
            self.assertTrue({frame["type"] for frame in audit["frames"]} <= {"HELLO", "CONFIG", "ABORT"})
            self.assertFalse(os.path.exists(parties.path(f"{name}.out.csv")))
        side = parties.call(*parties.command("resume", "bank", "", "--listen", "127.0.0.1:0")[1:], code=2)
        self.assertIn("this run cannot go on", side.stderr)

    def test_a_key_that_was_not_agreed_is_not_let_in(self):
        parties = self.parties(Table(6))
        key = parties.call("party", "keygen", "--key", "stranger.key").stdout
        policy = parties.bytes_of("joint.toml").decode()
        own = policy.split("[parties.bureau]\n")[1].splitlines()[0]
        with open(parties.path("strange.toml"), "w") as file:
            file.write(policy.replace(own, key.strip()))
        digest = parties.call("policy", "check", "strange.toml", "--party", "bureau").stdout.split("joint policy: ")[1][:64]
        first = Process(parties.command("run", "bank", "", "--listen", "127.0.0.1:0", "--timeout", "5"), parties.folder, {})
        first.known.wait()
        command = parties.command("run", "bureau", "", "--connect", f"127.0.0.1:{first.port}", "--timeout", "5")
        for flag, value in (("--policy", "strange.toml"), ("--approve", digest), ("--key", "stranger.key")):
            command[command.index(flag) + 1] = value
        second = Process(command, parties.folder, {})
        self.assertEqual([first.wait(), second.wait()], [2, 2])
        self.assertIn("the connection is not one with the agreed peer", first.err)
        self.assertFalse(os.path.exists(parties.path("bank.journal")))


class Kills(TestCase):
    def steps_of(self, parties):
        counts = [parties.path(f"{name}.count") for name in Parties.NAMES]
        sides = parties.both("run", run="whole", environment=[{"LD_PRELOAD": LIBRARY, "DIE_COUNT": count} for count in counts])
        self.assertEqual([side.process.returncode for side in sides], [0, 0], [side.err for side in sides])
        return [json.loads(parties.bytes_of(os.path.basename(count)))[0] for count in counts]

    def killed_at(self, parties, victim, step):
        """A run in which one side dies before its step-th write or sync; then both resume, once or twice."""
        run = f"-{victim}-{step}"
        environment = [{}, {}]
        environment[victim] = {"LD_PRELOAD": LIBRARY, "DIE_AT": str(step)}
        sides = parties.both("run", run=run, environment=environment, more=["--timeout", "60"])
        if sides[victim] is None:
            return "not reached"
        died = sides[victim].process.returncode == -signal.SIGKILL
        for attempt in range(3):
            there = [os.path.exists(parties.path(f"{name}{run}.out.csv.manifest.json")) and
                     not os.path.exists(parties.path(f"{name}{run}.journal.private")) for name in Parties.NAMES]
            if all(there):
                break
            sides = parties.both("resume", run=run, more=["--timeout", "10"])
        self.assertTrue(all(there), (run, [side and side.err for side in sides]))
        self.check_released(parties, run)
        for name in Parties.NAMES:
            audit = parties.call("party", "audit", f"{name}{run}.journal", "--policy", "joint.toml", "--release", f"{name}{run}.out.csv")
            self.assertIn("both signatures are valid", audit.stdout)
            for ending in ("journal", "out.csv", "out.csv.manifest.json"):
                os.unlink(parties.path(f"{name}{run}.{ending}"))
        return "resumed" if died else "not reached"

    def test_a_side_that_is_killed_anywhere_goes_on_to_the_same_bytes(self):
        parties = self.parties(Table(8, people=40, k=4))
        steps = self.steps_of(parties)
        places = [(victim, step) for victim in (0, 1) for step in range(1, steps[victim] + 1, 1 if ALL else 5)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            ended = list(pool.map(lambda place: self.killed_at(parties, *place), places))
        self.assertGreater(ended.count("resumed"), len(places) * 0.9)


class HostilePeer(TestCase):
    """A peer that has the right key, and sends what it likes."""

    def connect(self, parties, port):
        with open(parties.path("bureau.key")) as file:
            seed = bytes.fromhex(file.read().strip())
        with open(parties.path("evil.der"), "wb") as file:
            file.write(bytes.fromhex("302e020100300506032b657004220420") + seed)
        for command in (["openssl", "pkey", "-inform", "DER", "-in", "evil.der", "-out", "evil.pem"],
                        ["openssl", "req", "-x509", "-new", "-key", "evil.pem", "-subj", "/CN=x", "-days", "1", "-out", "evil.crt"]):
            subprocess.run(command, cwd=parties.folder, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.load_cert_chain(parties.path("evil.crt"), parties.path("evil.pem"))
        return context.wrap_socket(socket.create_connection(("127.0.0.1", port)))

    @staticmethod
    def frame(kind, payload, number=0, length=None, chain=bytes(32), run=bytes(16)):
        return (b"TDI1" + struct.pack("<HHIIQ", 1, kind, len(payload) if length is None else length, 0, number) + run + chain + payload)

    def hostile(self, send):
        """What the honest side says, and what it sent back as its last frame's type."""
        parties = self.parties(Table(9))
        honest = Process(parties.command("run", "bank", "", "--listen", "127.0.0.1:0", "--timeout", "5"), parties.folder, {})
        honest.known.wait()
        with self.connect(parties, honest.port) as peer:
            peer.settimeout(10)
            received = b""
            try:
                send(peer)
                while part := peer.recv(65536):
                    received += part
            except OSError:
                pass
        self.assertEqual(honest.wait(), 2)
        self.assertFalse(os.path.exists(parties.path("bank.out.csv")))
        self.assertIn("what left bank", parties.call("party", "audit", "bank.journal").stdout)  # whatever came
        last = None
        while len(received) >= 72:
            kind, length = struct.unpack_from("<HI", received, 6)
            last, received = kind, received[72 + length:]
        return honest.err, last

    def test_what_is_not_the_next_frame_ends_the_run(self):
        first_chain = hashlib.sha256(b"TDI1" + bytes(16) + b"B").digest()
        hello = self.frame(1, struct.pack("<HH", 1, 1) + b"B" + bytes(64), chain=first_chain)
        abort = 50
        cases = {
            "garbage": (os.urandom(4000), "not a frame"),
            "oversized": (self.frame(1, b"", length=1 << 26), "it may have 69 to 69"),
            "unknown type": (self.frame(77, b"x"), "unknown type 77"),
            "reordered": (self.frame(2, bytes(64), chain=first_chain), "a frame of type 2 comes instead of 1"),
            "skipped": (self.frame(1, hello[72:], number=3, chain=first_chain), "frame 3 comes instead of 0"),
            "wrong chain": (self.frame(1, hello[72:]), "does not follow the frame before it"),
            "of another run": (self.frame(1, hello[72:], chain=first_chain, run=bytes(15) + b"x"), "another run"),
            "another connection": (hello, "at the end of another connection"),
        }
        for name, (message, says) in cases.items():
            with self.subTest(case=name):
                err, last = self.hostile(lambda peer: peer.sendall(message))
                self.assertIn(says, err)
                self.assertEqual(last, abort)

    def test_a_frame_that_stops_half_way_leaves_nothing_behind(self):
        err, _ = self.hostile(lambda peer: peer.sendall(self.frame(6, b"x" * 1000, length=60_000_000)))
        self.assertIn("has not sent a whole frame in 5 seconds", err)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak, 200_000)  # kilobytes: what was announced was not allocated


if __name__ == "__main__":
    unittest.main()
