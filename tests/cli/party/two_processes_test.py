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
ALL = "CORDON_TEST_ALL" in os.environ  # every table and every place to be killed at, not every 15th

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
        for seed in range(12 if ALL else 5):
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
        self.assertGreater(refinements, 20 if ALL else 8)

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
        self.assertEqual(json.loads(parties.bytes_of("bank.out.csv.manifest.json"))["parties"]["compare"], "plain")


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
        self.assertIn("the first table was destroyed", parties.call("party", "status", "bank3.journal").stdout)
        self.assertEqual(json.loads(parties.bytes_of("bank3.out.csv.manifest.json"))["parties"]["again"], "the first table was destroyed")

    def another_policy(self, parties, change):
        """The arguments of a run by another policy over the same people."""
        with open(parties.path("other.toml"), "w") as file:
            file.write(change(parties.bytes_of("joint.toml").decode()))
        digest = parties.call("policy", "check", "other.toml", "--party", "bank").stdout.split("joint policy: ")[1][:64]

        def command(verb, name, run, *more):
            made = parties.command(verb, name, run, *more)
            made[made.index("--policy") + 1], made[made.index("--approve") + 1] = "other.toml", digest
            return made
        return command

    def test_of_two_runs_at_once_by_different_policies_one_is_refused(self):
        parties = self.parties(Table(3, k=3))
        other = self.another_policy(parties, lambda text: text.replace("k = 3", "k = 4"))
        waiting = [Process(command("run", "bank", run, "--listen", "127.0.0.1:0"), parties.folder, {})
                   for command, run in ((parties.command, "1"), (other, "2"))]
        for side in waiting:
            side.known.wait()
        codes = []
        for command, run, side in ((parties.command, "1", waiting[0]), (other, "2", waiting[1])):
            made = command("run", "bureau", run, "--connect", f"127.0.0.1:{side.port}")
            made[made.index("--register") + 1] = f"register of the bureau {run}"  # it is the bank that refuses
            codes.append((Process(made, parties.folder, {}).wait(), side.wait()))
        self.assertEqual(codes, [(0, 0), (2, 2)])
        self.assertIn("of these people were in an earlier run by another joint policy", waiting[1].err)
        self.assertFalse(os.path.exists(parties.path("bank2.out.csv")))
        frames = json.loads(parties.call("party", "audit", "bank2.journal", "--json").stdout)["frames"]
        self.assertFalse({frame["type"] for frame in frames} & {"PSI1", "PSI2", "PSI3"})
        self.assertEqual(sorted(os.listdir(parties.path("bank.register"))), ["000001.people", "key"])

    def test_a_run_that_goes_on_is_checked_like_one_that_starts(self):
        parties = self.parties(Table(3, k=3))
        other = self.another_policy(parties, lambda text: text.replace("k = 3", "k = 4"))
        for step in range(1, 60):  # until the bank dies after both have greeted, and before an id leaves
            environment = ({"LD_PRELOAD": LIBRARY, "DIE_AT": str(step)}, {})
            parties.both("run", run="1", environment=environment, more=["--timeout", "5"])
            if os.path.exists(parties.path("bank1.journal")) and os.path.getsize(parties.path("bank1.journal")) > 600:
                break
            for name in os.listdir(parties.folder):
                if name.startswith(("bank1.", "bureau1.")):
                    os.unlink(parties.path(name))
            shutil.rmtree(parties.path("bureau.register"), ignore_errors=True)
        self.assertFalse(os.path.exists(parties.path("bank.register/000001.people")))
        shutil.rmtree(parties.path("bureau.register"), ignore_errors=True)
        first = Process(other("run", "bank", "2", "--listen", "127.0.0.1:0"), parties.folder, {})
        first.known.wait()
        second = Process(other("run", "bureau", "2", "--connect", f"127.0.0.1:{first.port}"), parties.folder, {})
        self.assertEqual([first.wait(), second.wait()], [0, 0])
        side = parties.call(*parties.command("resume", "bank", "1", "--listen", "127.0.0.1:0")[1:], code=2)
        self.assertIn("of these people were in an earlier run by another joint policy", side.stderr)

    def test_without_a_common_pepper_nobody_is_common(self):
        parties = self.parties(Table(3, k=3))
        parties.call("party", "keygen", "--pepper", "other.key")
        first = Process(parties.command("run", "bank", "", "--listen", "127.0.0.1:0"), parties.folder, {})
        first.known.wait()
        command = parties.command("run", "bureau", "", "--connect", f"127.0.0.1:{first.port}")
        command[command.index("--pepper") + 1] = "other.key"
        second = Process(command, parties.folder, {})
        self.assertEqual([first.wait(), second.wait()], [1, 1])
        for side in (first, second):
            self.assertIn("the parties have no common people", side.err)
            self.assertIn("do both have the same pepper", side.err)

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
            self.assertFalse(os.path.exists(parties.path(f"{name}.journal.private")))  # nobody can go on with it
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


class Journals(TestCase):
    """Journals that were changed after the run, by somebody who can chain frames and sign."""

    @staticmethod
    def read(journal):
        """Its head, and its frames with their direction."""
        size = struct.unpack_from("<I", journal, 1)[0]
        frames, at = [], 5 + size
        while at < len(journal):
            length = 72 + struct.unpack_from("<I", journal, at + 9)[0]
            frames.append((journal[at:at + 1], journal[at + 1:at + 1 + length]))
            at += 1 + length
        return json.loads(journal[5:5 + size]), frames

    @staticmethod
    def write(path, head, frames):
        text = json.dumps(head).encode()
        with open(path, "wb") as file:
            file.write(b"#" + struct.pack("<I", len(text)) + text + b"".join(direction + frame for direction, frame in frames))

    @staticmethod
    def type_of(frame):
        return struct.unpack_from("<H", frame, 6)[0]

    @staticmethod
    def hash_of(frame):
        return hashlib.sha256(frame[40:72] + frame[:40] + frame[72:]).digest()

    @staticmethod
    def commitment(salt, table):
        """Of a party to its table, as the auditor computes it."""
        lines = [line.split(",") for line in table.decode().splitlines()]
        texts = ["cordon table of a party 1", salt, *lines[0][1:-1]]
        for row in sorted(row for row in lines[1:] if "?" not in row):
            texts += [row[0], row[-1], *row[1:-1]]
        hashed = hashlib.sha256()
        for text in texts:
            text = text if isinstance(text, bytes) else text.encode()
            hashed.update(struct.pack("<Q", len(text)) + text)
        return hashed.digest()

    def replay(self, parties, journals, table, code):
        return parties.call("party", "replay", *journals, "--table", "bank.csv", "--table", table, "--policy", "joint.toml", code=code).stdout

    def test_a_table_cannot_be_exchanged_after_the_run(self):
        parties = self.parties(Table(3, k=3))
        parties.both("run")
        other = parties.bytes_of("bureau.csv").replace(b"bureau0,", b"nobody0,")  # not one of the common people
        with open(parties.path("other.csv"), "wb") as file:
            file.write(other)
        head, frames = self.read(parties.bytes_of("bureau.journal"))
        salt = bytes.fromhex(head["salt"])
        config = next(frame for direction, frame in frames if direction == b">" and self.type_of(frame) == 2)
        self.assertEqual(config[-32:], self.commitment(salt, parties.bytes_of("bureau.csv")))
        made, chain = [], None
        for direction, frame in frames:
            if self.type_of(frame) == 30:
                break  # FINISH, which it cannot sign for the bank
            if direction == b">":
                if self.type_of(frame) == 2:
                    frame = frame[:-32] + self.commitment(salt, other)
                if chain:
                    frame = frame[:40] + chain + frame[72:]
                chain = self.hash_of(frame)
            made.append((direction, frame))
        self.write(parties.path("forged.journal"), head, made)
        for journals in (("bank.journal", "forged.journal"), ("forged.journal", "bank.journal")):
            self.assertIn("in the journal of bureau, as sent, is not frame", self.replay(parties, journals, "other.csv", 1))
        # Alone it may hold together; then the auditor is told what was not compared.
        alone = self.replay(parties, ["forged.journal"], "other.csv", 0)
        self.assertIn("not compared: the commitment of bank to its table", alone)
        self.assertIn("not compared: what bureau has sent with what bank has received", alone)
        alone = self.replay(parties, ["bank.journal"], "other.csv", 0)
        self.assertIn("not compared: the commitment of bureau to its table", alone)
        self.assertNotIn("not compared", self.replay(parties, ("bank.journal", "bureau.journal"), "bureau.csv", 0))

    def sign(self, parties, key, statement):
        with open(parties.path("key.der"), "wb") as file, open(parties.path(key)) as seed:
            file.write(bytes.fromhex("302e020100300506032b657004220420" + seed.read().strip()))
        with open(parties.path("statement"), "wb") as file:
            file.write(statement)
        command = ["openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", "key.der", "-in", "statement"]
        return subprocess.run(command, cwd=parties.folder, check=True, capture_output=True).stdout

    def test_the_keys_are_those_of_the_policy(self):
        parties = self.parties(Table(3, k=3))
        parties.both("run")
        head, frames = self.read(parties.bytes_of("bank.journal"))
        chain, run, state = {}, frames[-1][1][24:40], frames[-1][1][72:104]
        for direction, frame in frames:
            if self.type_of(frame) != 30:
                chain[direction] = self.hash_of(frame)
        statement = b"TDI1-FINISH" + run + chain[b">"] + chain[b"<"] + state
        self.assertEqual(self.sign(parties, "bank.key", statement), next(frame for _, frame in frames if self.type_of(frame) == 30)[104:])
        signed = {}
        for name, field, direction in (("key", "key", b">"), ("peer", "peer_key", b"<")):
            head[field] = parties.call("party", "keygen", "--key", f"forged.{name}").stdout.split('"')[1]
            signed[direction] = self.sign(parties, f"forged.{name}", statement)
        made = [(direction, frame[:104] + signed[direction] if self.type_of(frame) == 30 else frame) for direction, frame in frames]
        self.write(parties.path("forged.journal"), head, made)
        self.assertIn("the keys that the journal names", parties.call("party", "audit", "forged.journal").stdout)
        side = parties.call("party", "audit", "forged.journal", "--policy", "joint.toml", code=2)
        self.assertIn("its head has another key of bank than the policy", side.stderr)
        side = parties.call("party", "replay", "forged.journal", "--table", "bank.csv", "--table", "bureau.csv", "--policy", "joint.toml", code=2)
        self.assertIn("its head has another key of bank than the policy", side.stderr)
        head, frames = self.read(parties.bytes_of("bank.journal"))
        self.write(parties.path("forged.journal"), {**head, "peer": "agency"}, frames)
        side = parties.call("party", "audit", "forged.journal", "--policy", "joint.toml", code=2)
        self.assertIn("its head names 'agency' as the other party", side.stderr)

    def test_damage_is_noticed_by_every_command(self):
        parties = self.parties(Table(3, k=3))
        parties.both("run")
        head, frames = self.read(parties.bytes_of("bank.journal"))
        received = [i for i, (direction, frame) in enumerate(frames) if direction == b"<" and len(frame) > 72]
        for i in received[:-2]:
            changed = list(frames)
            changed[i] = (b"<", frames[i][1][:-1] + bytes([frames[i][1][-1] ^ 1]))
            self.write(parties.path("changed.journal"), head, changed)
            for command in (("audit",), ("status",), ("replay", "--table", "bank.csv", "--table", "bureau.csv", "--policy", "joint.toml")):
                side = parties.call("party", command[0], "changed.journal", *command[1:], code=2)
                self.assertIn("the journal was changed or damaged", side.stderr)
        with open(parties.path("cut.journal"), "wb") as file:
            file.write(parties.bytes_of("bank.journal")[:-5])
        self.assertIn("the journal was cut at the end of the run", parties.call("party", "audit", "cut.journal", code=1).stdout)

    def test_a_finished_run_without_its_release_says_so(self):
        parties = self.parties(Table(3, k=3))
        parties.both("run")
        os.unlink(parties.path("bank.out.csv"))
        side = parties.call(*parties.command("resume", "bank", "", "--listen", "127.0.0.1:0")[1:], code=2)
        self.assertIn("bank.out.csv is not there", side.stderr)
        command = parties.command("resume", "bank", "", "--listen", "127.0.0.1:0")
        command[command.index("--journal") + 1] = "bureau.journal"
        self.assertIn("bureau.journal is the journal of bureau, and this is bank", parties.call(*command[1:], code=2).stderr)

    def test_the_private_file_of_a_run_is_not_replaced(self):
        parties = self.parties(Table(3, k=3))
        with open(parties.path("bank.journal.private"), "w") as file:
            file.write("of a run whose journal was moved")
        for verb in ("run", "resume"):
            side = parties.call(*parties.command(verb, "bank", "", "--listen", "127.0.0.1:0")[1:], code=2)
            self.assertIn("bank.journal.private is there already, and its journal is not", side.stderr)
        self.assertEqual(parties.bytes_of("bank.journal.private"), b"of a run whose journal was moved")


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
        places = [(victim, step) for victim in (0, 1) for step in range(1, steps[victim] + 1, 1 if ALL else 15)]
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
