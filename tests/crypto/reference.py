#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second implementation of everything in src/cordon/crypto, for tests: slow, plain, by the standard library alone.

It is written from the RFCs, the papers and docs/crypto.md. It makes the vectors in vectors/, which the C++ tests read:
    reference.py --check    works every vector out again and compares (a test)
    reference.py --write    writes them
The vectors of RFC 9496 and RFC 8032 are copied from there: here they are checked, never written.
"""
import hashlib
import json
import struct
import sys
from itertools import islice
from pathlib import Path

VECTORS = Path(__file__).resolve().parent / "vectors"


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def u16(n):
    return struct.pack("<H", n)


def u32(n):
    return struct.pack("<I", n)


def u64(n):
    return struct.pack("<Q", n)


def i64(n):
    return struct.pack("<q", n)


def xor(*parts):
    return bytes(_xor_all(column) for column in zip(*parts, strict=True))


def _xor_all(column):
    result = 0
    for byte in column:
        result ^= byte
    return result


class Stream:
    """The random bytes of a test: what both implementations draw, in the same order."""

    def __init__(self, seed):
        self.bytes = self._all(seed)

    @staticmethod
    def _all(seed):
        counter = 0
        while True:
            yield from sha256(b"cordon-test", u64(seed), u64(counter))
            counter += 1

    def draw(self, size):
        return bytes(islice(self.bytes, size))


# --- Curve25519 as a twisted Edwards curve, extended coordinates: RFC 8032 5.1, RFC 9496 4 -------------------------------

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def is_negative(x):
    return x % P % 2 == 1


def absolute(x):
    return -x % P if is_negative(x) else x % P


def sqrt_ratio(u, v):
    """(u / v is a square, the non-negative root of u / v or of SQRT_M1 * u / v)."""
    r = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * r * r % P
    correct, flipped, flipped_i = check == u % P, check == -u % P, check == -u * SQRT_M1 % P
    if flipped or flipped_i:
        r = r * SQRT_M1 % P
    return correct or flipped, absolute(r)


INVSQRT_A_MINUS_D = sqrt_ratio(1, -1 - D)[1]
SQRT_AD_MINUS_ONE = -sqrt_ratio(-D - 1, 1)[1] % P  # the negative root, as RFC 9496 prints it

IDENTITY = (0, 1, 1, 0)


def add(p, q):
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a = (y1 - x1) * (y2 - x2) % P
    b = (y1 + x1) * (y2 + x2) % P
    c = 2 * t1 * t2 * D % P
    d = 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def negate(p):
    return -p[0] % P, p[1], p[2], -p[3] % P


def multiply(n, p):
    result = IDENTITY
    while n:
        if n & 1:
            result = add(result, p)
        p = add(p, p)
        n >>= 1
    return result


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = sqrt_ratio(BASE_Y * BASE_Y - 1, D * BASE_Y * BASE_Y + 1)[1]
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def ristretto_encode(p):
    x, y, z, t = p
    u1 = (z + y) * (z - y) % P
    u2 = x * y % P
    _, invsqrt = sqrt_ratio(1, u1 * u2 * u2)
    den1, den2 = invsqrt * u1 % P, invsqrt * u2 % P
    z_inv = den1 * den2 * t % P
    if is_negative(t * z_inv):
        x, y = y * SQRT_M1 % P, x * SQRT_M1 % P
        den_inv = den1 * INVSQRT_A_MINUS_D % P
    else:
        den_inv = den2
    if is_negative(x * z_inv):
        y = -y % P
    return absolute(den_inv * (z - y)).to_bytes(32, "little")


def ristretto_decode(encoded):
    """None if the bytes do not encode an element."""
    s = int.from_bytes(encoded, "little")
    if s >= P or is_negative(s):
        return None
    ss = s * s % P
    u1, u2 = (1 - ss) % P, (1 + ss) % P
    v = (-(D * u1 * u1) - u2 * u2) % P
    was_square, invsqrt = sqrt_ratio(1, v * u2 * u2)
    den_x = invsqrt * u2 % P
    den_y = invsqrt * den_x * v % P
    x = absolute(2 * s * den_x)
    y = u1 * den_y % P
    t = x * y % P
    if not was_square or is_negative(t) or y == 0:
        return None
    return x, y, 1, t


def _ristretto_map(half):
    t = int.from_bytes(half, "little") % 2**255
    r = SQRT_M1 * t * t % P
    u = (r + 1) * (1 - D * D) % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = sqrt_ratio(u, v)
    c = P - 1
    if not was_square:
        s = -absolute(s * t) % P
        c = r
    n = (c * (r - 1) * (D - 1) ** 2 - v) % P
    w0, w1, w2, w3 = 2 * s * v, n * SQRT_AD_MINUS_ONE, 1 - s * s, 1 + s * s
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def ristretto_from_hash(hash64):
    return add(_ristretto_map(hash64[:32]), _ristretto_map(hash64[32:]))


def draw_scalar(stream):
    scalar = 0
    while scalar == 0:
        scalar = int.from_bytes(stream.draw(64), "little") % L
    return scalar


def ed25519_encode(p):
    z_inv = pow(p[2], P - 2, P)
    x, y = p[0] * z_inv % P, p[1] * z_inv % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def ed25519_sign(seed, message):
    """(verify key, signature)"""
    h = hashlib.sha512(seed).digest()
    a = int.from_bytes(h[:32], "little") & (2**254 - 8) | 2**254
    key = ed25519_encode(multiply(a, BASE))
    r = int.from_bytes(hashlib.sha512(h[32:] + message).digest(), "little") % L
    big_r = ed25519_encode(multiply(r, BASE))
    k = int.from_bytes(hashlib.sha512(big_r + key + message).digest(), "little") % L
    return key, big_r + ((r + k * a) % L).to_bytes(32, "little")


def chacha20(key, nonce, size):
    """The key stream of the original ChaCha20: 64 bits of nonce, 64 bits of counter."""

    def quarter(s, a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            s[z] ^= s[x]
            s[z] = (s[z] << turn | s[z] >> (32 - turn)) & 0xFFFFFFFF

    out = b""
    counter = 0
    while len(out) < size:
        start = list(struct.unpack("<16I", b"expand 32-byte k" + key + u64(counter) + nonce))
        s = start[:]
        for _ in range(10):
            for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                               (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
                quarter(s, a, b, c, d)
        out += struct.pack("<16I", *((x + y) & 0xFFFFFFFF for x, y in zip(s, start)))
        counter += 1
    return out[:size]


# --- Private set intersection ------------------------------------------------------------------------------------------

def point_of_id(pepper, name):
    return ristretto_from_hash(hashlib.sha512(b"TDI1-ID" + pepper + name.encode()).digest())


def psi_vectors():
    pepper = sha256(b"pepper")
    ids = {"a": ["1001", "1002", "1003", "1004"], "b": ["1003", "2001", "1001", "2002", "1004"]}
    seeds = {"a": 11, "b": 12}
    scalars = {side: draw_scalar(Stream(seeds[side])) for side in ids}
    result = {"pepper": pepper.hex(), "ids": ids, "seeds": seeds}
    double = {}
    for side, other in (("a", "b"), ("b", "a")):
        points = [point_of_id(pepper, name) for name in ids[side]]
        masked = [multiply(scalars[side], point) for point in points]
        double[side] = [ristretto_encode(multiply(scalars[other], point)) for point in masked]
        result[side] = {"points": [ristretto_encode(point).hex() for point in points],
                        "masked": [ristretto_encode(point).hex() for point in masked],
                        "masked_by_both": [point.hex() for point in double[side]]}
    common = sorted(set(double["a"]) & set(double["b"]))
    for side in ids:
        result[side]["rows"] = [double[side].index(point) for point in common]
    return result


# --- Oblivious transfer --------------------------------------------------------------------------------------------------

BASE_TRANSFERS = 128


def bit(data, i):
    return data[i // 8] >> (i % 8) & 1


class Transfers:
    """Both sides of the set-up and of the extension."""

    def __init__(self, run, setup, receiver_stream, sender_stream):
        self.session = run + u32(setup)
        self.receiver_stream = receiver_stream
        scalar = draw_scalar(receiver_stream)
        key = multiply(scalar, BASE)
        self.key = ristretto_encode(key)
        self.secret = sender_stream.draw(16)
        self.points, self.pairs, self.seeds = [], [], []
        for i in range(BASE_TRANSFERS):
            mine = draw_scalar(sender_stream)
            point = multiply(mine, BASE)
            if bit(self.secret, i):
                point = add(point, key)
            self.points.append(ristretto_encode(point))
            seed = lambda shared: sha256(b"TDI1-OT-BASE", self.session, u32(i), self.key, self.points[i],
                                         ristretto_encode(shared))
            self.pairs.append((seed(multiply(scalar, point)), seed(multiply(scalar, add(point, negate(key))))))
            self.seeds.append(seed(multiply(mine, key)))
            assert self.seeds[i] == self.pairs[i][bit(self.secret, i)]
        self.batch = 0
        self.keys, self.chosen, self.rows = [], [], []

    def row_key(self, transfer, row):
        return sha256(b"TDI1-OT-ROW", self.session, u64(transfer), row)[:16]

    def extend(self, count):
        """The columns that the receiver sends."""
        size = (count + 7) // 8
        choices = self.receiver_stream.draw(size)
        nonce = u64(self.batch)
        ones = [chacha20(pair[0], nonce, size) for pair in self.pairs]
        columns = [xor(one, chacha20(pair[1], nonce, size), choices) for one, pair in zip(ones, self.pairs)]
        mixed = [xor(chacha20(seed, nonce, size), column) if bit(self.secret, i) else chacha20(seed, nonce, size)
                 for i, (seed, column) in enumerate(zip(self.seeds, columns))]

        def row(all_columns, j):
            value = sum(bit(column, j) << i for i, column in enumerate(all_columns))
            return value.to_bytes(16, "little")

        for j in range(8 * size):
            self.keys.append(self.row_key(len(self.keys), row(ones, j)))
            self.chosen.append(bit(choices, j))
            self.rows.append(row(mixed, j))
        self.batch += 1
        return b"".join(columns)

    def transfer(self, first, bits, pairs):
        """(flips, pads, what the receiver reads)"""
        flips, pads, read = [], [], []
        for j, (wanted, pair) in enumerate(zip(bits, pairs, strict=True), first):
            flip = wanted ^ self.chosen[j]
            keys = [self.row_key(j, self.rows[j]), self.row_key(j, xor(self.rows[j], self.secret))]
            pad = [xor(pair[0], keys[flip]), xor(pair[1], keys[1 - flip])]
            flips.append(flip)
            pads.append(pad)
            read.append(xor(pad[wanted], self.keys[j]))
            assert read[-1] == pair[wanted]
        return flips, pads, read


def ot_vectors():
    run = sha256(b"run")[:16]
    transfers = Transfers(run, 3, Stream(21), Stream(22))
    columns = [transfers.extend(10), transfers.extend(16)]
    bits = [0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 1]  # over the border of the batches
    pairs = [[sha256(b"pair", u32(i))[:16], sha256(b"pair", u32(i))[16:]] for i in range(len(bits))]
    flips, pads, read = transfers.transfer(0, bits, pairs)
    return {"run": run.hex(), "setup": 3, "receiver_seed": 21, "sender_seed": 22,
            "key": transfers.key.hex(), "points": [point.hex() for point in transfers.points],
            "counts": [10, 16], "columns": [column.hex() for column in columns],
            "bits": bits, "pairs": [[block.hex() for block in pair] for pair in pairs],
            "flips": flips, "pads": [[block.hex() for block in pad] for pad in pads],
            "read": [block.hex() for block in read]}


# --- Half gates -----------------------------------------------------------------------------------------------------------

class Circuit:
    """Is x > y, and is neither there? Wires: x and its flag, y and its flag, gates."""

    def __init__(self, bits):
        self.inputs = 2 * (bits + 1)
        self.gates = []
        x, y = list(range(bits + 1)), list(range(bits + 1, 2 * bits + 2))
        greater = self.gate("xor", x[0], self.gate("and", x[0], y[0]))
        for i in range(1, bits):
            left, right = self.gate("xor", x[i], greater), self.gate("xor", y[i], greater)
            greater = self.gate("xor", x[i], self.gate("and", left, right))
        self.outputs = [greater, self.gate("and", x[bits], y[bits])]

    def gate(self, op, a, b):
        self.gates.append((op, a, b))
        return self.inputs + len(self.gates) - 1


def key_bits(key, bits):
    return [key >> i & 1 for i in range(bits)] + [int(key == 0)]


def times(one, block):
    return block if one else bytes(16)


class Garbled:
    def __init__(self, circuit, context, stream):
        self.circuit, self.context = circuit, context
        offset = bytearray(stream.draw(16))
        offset[0] |= 1
        self.offset = bytes(offset)
        wires = [stream.draw(16) for _ in range(circuit.inputs)]
        self.inputs = wires[:]
        self.table, self.output_hashes = [], []
        gate = 0
        for op, a, b in circuit.gates:
            if op == "xor":
                wires.append(xor(wires[a], wires[b]))
                continue
            a0, b0 = wires[a], wires[b]
            a1, b1 = xor(a0, self.offset), xor(b0, self.offset)
            pa, pb = a0[0] & 1, b0[0] & 1
            t_g = xor(self.hash(gate, 0, a0), self.hash(gate, 0, a1), times(pb, self.offset))
            w_g = xor(self.hash(gate, 0, a0), times(pa, t_g))
            t_e = xor(self.hash(gate, 1, b0), self.hash(gate, 1, b1), a0)
            w_e = xor(self.hash(gate, 1, b0), times(pb, xor(t_e, a0)))
            self.table.append((t_g, t_e))
            wires.append(xor(w_g, w_e))
            gate += 1
        self.outputs = [wires[wire] for wire in circuit.outputs]
        for i, label in enumerate(self.outputs):
            self.output_hashes.append((self.hash(gate + i, 2, label), self.hash(gate + i, 2, xor(label, self.offset))))

    def hash(self, gate, use, label):
        return sha256(b"TDI1-GATE", self.context, u32(gate), bytes([use]), label)[:16]

    def label(self, wire, value):
        return xor(self.inputs[wire], times(value, self.offset))

    def evaluate(self, labels):
        """(output bits, output labels) as the evaluator finds them, who knows the table and one label per input."""
        wires = list(labels)
        gate = 0
        for op, a, b in self.circuit.gates:
            if op == "xor":
                wires.append(xor(wires[a], wires[b]))
                continue
            t_g, t_e = self.table[gate]
            w_g = xor(self.hash(gate, 0, wires[a]), times(wires[a][0] & 1, t_g))
            w_e = xor(self.hash(gate, 1, wires[b]), times(wires[b][0] & 1, xor(t_e, wires[a])))
            wires.append(xor(w_g, w_e))
            gate += 1
        labels = [wires[wire] for wire in self.circuit.outputs]
        return [self.output_hashes[i].index(self.hash(gate + i, 2, label)) for i, label in enumerate(labels)], labels


def compare_vectors():
    run = sha256(b"run of comparisons")[:16]
    transfers = Transfers(run, 0, Stream(31), Stream(32))
    transfers.extend(3 * 97)
    circuit = Circuit(96)
    top = 2**96 - 1
    comparisons = []
    used = 0
    for (x, y), (round_, attempt), seed in (((top, top - 1), (1, 0), 41), ((0, 5), (2, 0), 42), ((0, 0), (2, 1), 43)):
        garbled = Garbled(circuit, run + u32(round_) + u32(attempt), Stream(seed))
        x_bits, y_bits = key_bits(x, 96), key_bits(y, 96)
        flips, pads, own = transfers.transfer(used, y_bits, [(garbled.label(97 + i, 0), garbled.label(97 + i, 1)) for i in range(97)])
        mine = [garbled.label(i, value) for i, value in enumerate(x_bits)]
        bits, labels = garbled.evaluate(mine + own)
        assert bits == [int(x > y), int(x == y == 0)]
        flip_bytes = sum(flip << i for i, flip in enumerate(flips)).to_bytes(13, "little")
        comparisons.append({
            "garbler_key": f"{x:024x}", "evaluator_key": f"{y:024x}", "round": round_, "attempt": attempt, "seed": seed,
            "choices": (u32(attempt) + u64(used) + flip_bytes).hex(),
            "table": (u32(attempt) + b"".join(t_g + t_e for t_g, t_e in garbled.table)
                      + b"".join(zero + one for zero, one in garbled.output_hashes) + b"".join(mine)
                      + b"".join(zero + one for zero, one in pads)).hex(),
            "result": (u32(attempt) + b"".join(labels)).hex(),
            "outcome": "garbler" if bits[0] else "neither" if bits[1] else "evaluator"})
        used += 97
    return {"run": run.hex(), "receiver_seed": 31, "sender_seed": 32, "transfers": 3 * 97, "comparisons": comparisons}


# --- Frames ---------------------------------------------------------------------------------------------------------------

def pack(numbers, below):
    bits = max(1, (below - 1).bit_length())
    value = sum(number << (i * bits) for i, number in enumerate(numbers))
    return u16(below) + bytes([bits]) + u32(len(numbers)) + value.to_bytes((len(numbers) * bits + 7) // 8, "little")


class Frames:
    def __init__(self, role):
        self.run, self.number, self.chain = bytes(16), 0, sha256(b"TDI1", bytes(16), role)

    def seal(self, type_, payload, round_=0):
        head = b"TDI1" + u16(1) + u16(type_) + u32(len(payload)) + u32(round_) + u64(self.number) + self.run
        frame = head + self.chain + payload
        self.number += 1
        self.chain = sha256(self.chain, head, payload)
        return frame


def frame_vectors():
    nonces = {role: sha256(b"nonce", role) for role in (b"A", b"B")}
    frames = {role: Frames(role) for role in nonces}
    result = {"run": None, "a": [], "b": []}
    for role, name in ((b"A", "a"), (b"B", "b")):
        hello = u16(1) + u16(1) + role + nonces[role] + sha256(b"exporter")
        result[name].append(frames[role].seal(1, hello).hex())
    run = sha256(b"TDI1-RUN", nonces[b"A"], nonces[b"B"])[:16]
    result["run"] = run.hex()
    for role in frames:
        frames[role].run = run
    result["a"].append(frames[b"A"].seal(2, sha256(b"config") + sha256(b"input of a")).hex())
    instruct = u16(2) + bytes([1]) + i64(1) + i64(99) + i64(37) + pack([0] * 12 + [1] * 22, 2)
    result["b"].append(frames[b"B"].seal(20, instruct, 1).hex())
    instruct = u16(1) + bytes([0]) + u32(7) + pack([0, 1, 2, 3, 4, 4, 0], 5)
    result["b"].append(frames[b"B"].seal(20, instruct, 2).hex())
    result["a"].append(frames[b"A"].seal(21, sha256(b"state"), 2).hex())
    result["b"].append(frames[b"B"].seal(22, b"", 2).hex())
    result["a"].append(frames[b"A"].seal(50, u16(6), 3).hex())
    statement = b"TDI1-FINISH" + run + frames[b"A"].chain + frames[b"B"].chain + sha256(b"state")
    key, signature = ed25519_sign(sha256(b"signing seed"), statement)
    result["finish"] = {"state": sha256(b"state").hex(), "seed": sha256(b"signing seed").hex(), "verify_key": key.hex(),
                        "statement": statement.hex(), "signature": signature.hex()}
    return result


# --- The runs of the specification: top-down refinement of the 34 records, from the definitions ------------------------------

def lg(n):
    e = n.bit_length() - 1
    m, f = n << (63 - e), 0
    for _ in range(32):
        m2 = m * m >> 63
        f <<= 1
        if m2 >> 64:
            f |= 1
            m = m2 >> 1
        else:
            m = m2
    return e << 32 | f


def entropy(rows):
    total = lambda n: n * lg(n) if n else 0
    counts = {}
    for row in rows:
        counts[row["Class"]] = counts.get(row["Class"], 0) + 1
    return total(len(rows)) - sum(total(n) for n in counts.values())


TREES = {
    "Sex": {"ANY_Sex": ["M", "F"]},
    "Job": {"ANY_Job": ["Blue_Collar", "White_Collar"], "Blue_Collar": ["Non_Technical", "Technical"],
            "Non_Technical": ["Janitor", "Mover"], "Technical": ["Carpenter", "Technician"],
            "White_Collar": ["Manager", "Professional"], "Professional": ["Accountant", "Lawyer"]},
}


def table_rows():
    rows = []
    for yes, no, sex, job, salary in ((0, 3, "M", "Janitor", 30), (0, 4, "M", "Mover", 32), (2, 3, "M", "Carpenter", 35),
                                      (3, 1, "F", "Technician", 37), (4, 2, "F", "Manager", 42), (3, 0, "F", "Manager", 44),
                                      (3, 0, "M", "Accountant", 44), (3, 0, "F", "Accountant", 44), (2, 0, "M", "Lawyer", 44),
                                      (1, 0, "F", "Lawyer", 44)):
        for label in ["Y"] * yes + ["N"] * no:
            rows.append({"Class": label, "Sex": sex, "Job": job, "Salary": salary})
    return rows


def children_of(column, value, rows):
    """The refinement of a cut value: a list of children, or None."""
    if column in TREES:
        return TREES[column].get(value)
    lo, hi = value
    best = None
    for split in sorted({row[column] for row in rows})[1:]:
        parts = [[row for row in rows if row[column] < split], [row for row in rows if row[column] >= split]]
        gain = entropy(rows) - sum(entropy(part) for part in parts)
        if best is None or gain > best[0]:
            best = gain, split
    return [(lo, best[1]), (best[1], hi)] if best else None


def under(column, leaf, value):
    if column not in TREES:
        return value[0] <= leaf < value[1]
    return leaf == value or any(under(column, leaf, child) for child in TREES[column].get(value, []))


def ordered_cut(column, cut):
    if column not in TREES:
        return sorted(cut)
    def walk(value):
        return [value] if value in cut else [each for child in TREES[column][value] for each in walk(child)]
    return walk("ANY_" + column)


def published(column, value):
    """A value of the cut as a release shows it; the range of Salary is closed at its end."""
    if column in TREES:
        return value
    lo, hi = value
    return f"[{lo},{hi}{']' if hi == 99 else ')'}"


def reached_text(templates, reached):
    return "".join(f"k-anonymity(k={k}, on {'+'.join(on)}) {least}/1\n" for (on, k), least in zip(templates, reached)).encode()


def cut_text(column, cut, shown):
    """The values that some record shows."""
    values = [value for value in ordered_cut(column, cut[column]) if any(row[column] == value for row in shown)]
    return (f"{column}:" + "".join(published(column, value) + "\n" for value in values)).encode()


def leaves_text(columns, shown, leaves):
    return b"".join("".join(published(column, shown[leaf[0]][column]) + "\n" for column in columns).encode() +
                    b"".join(u32(i) for i in leaf) for leaf in leaves)


def state_digest(columns, templates, reached, cut, shown, leaves):
    """Of what is reached, the cuts, and the leaves with their records."""
    return sha256(b"cordon top-down state 1\n", reached_text(templates, reached), *(cut_text(each, cut, shown) for each in columns),
                  leaves_text(columns, shown, leaves)).hex()


def step_digest(before, column, columns, templates, reached, cut, shown, leaves, moved):
    """Of the digest before the step and of what it has changed: the leaves of `moved` records, by place and content."""
    places, changed, at = "", [], 0
    for leaf in leaves:
        if leaf[0] in moved:
            places += f"{at} {at + len(leaf)}\n"
            changed.append(leaf)
        at += len(leaf)
    return sha256(f"cordon top-down step 1\n{before}\n".encode(), reached_text(templates, reached), cut_text(column, cut, shown),
                  places.encode(), leaves_text(columns, shown, changed)).hex()


def top_down(columns, owners, templates):
    rows = table_rows()
    cut = {column: [(1, 99) if column == "Salary" else "ANY_" + column] for column in columns}
    shown = [{column: cut[column][0] for column in columns} for _ in rows]
    leaves = [list(range(len(rows)))]
    rounds = []

    def smallest(on, view):
        groups = {}
        for row in view:
            key = tuple(row[column] for column in on)
            groups[key] = groups.get(key, 0) + 1
        return min(groups.values())

    chained = state_digest(columns, templates, [smallest(on, shown) for on, _ in templates], cut, shown, leaves)
    while True:
        candidates = []
        position = -1
        for column in columns:
            for value in ordered_cut(column, cut[column]):
                position += 1
                here = [i for i in range(len(rows)) if shown[i][column] == value]
                children = children_of(column, value, [rows[i] for i in here])
                if not children or len({rows[i]["Class"] for i in here}) < 2:
                    continue
                number = {i: next(c for c, child in enumerate(children) if under(column, rows[i][column], child)) for i in here}
                then = [dict(row) for row in shown]
                for i in here:
                    then[i][column] = children[number[i]]
                about = [(on, k) for on, k in templates if column in on]
                after = [smallest(on, then) for on, _ in about]
                if any(reached < k for reached, (_, k) in zip(after, about)):
                    continue
                parts = [[rows[i] for i in here if number[i] == c] for c in range(len(children))]
                gain = max(0, entropy([rows[i] for i in here]) - sum(entropy(part) for part in parts))
                loss = sum(smallest(on, shown) - reached for (on, _), reached in zip(about, after))
                score = gain * len(about) * 2**20 // (len(here) * (loss + len(about)))
                candidates.append((score << 24 | (2**24 - 1 - position), column, value, children, number, then, score))
        keys = {side: max((c[0] for c in candidates if owners[c[1]] == side), default=0) for side in "AB"}
        if not candidates:
            rounds.append({"keys": {side: f"{key:024x}" for side, key in keys.items()}, "winner": None})
            break
        key, column, value, children, number, then, score = max(candidates, key=lambda c: c[0])
        numbers = [number[i] for leaf in leaves if shown[leaf[0]][column] == value for i in leaf]
        leaves = [part for leaf in leaves for part in (
            [[i for i in leaf if number[i] == c] for c in range(len(children))] if leaf[0] in number else [leaf]) if part]
        shown = then
        cut[column] = [each for each in cut[column] if each != value] + children
        reached = [smallest(on, shown) for on, _ in templates]
        chained = step_digest(chained, column, columns, templates, reached, cut, shown, leaves, number)
        rounds.append({"keys": {side: f"{each:024x}" for side, each in keys.items()}, "winner": owners[column], "column": column,
                       "value": str(value), "children": len(children), "Q": score, "numbers": numbers,
                       "packed": pack(numbers, len(children))[7:].hex(),
                       "reached": reached, "leaves": [len(leaf) for leaf in leaves],
                       "state": state_digest(columns, templates, reached, cut, shown, leaves), "step": chained})
    return rounds


def run_vectors():
    owners = {"Sex": "A", "Job": "B", "Salary": "B"}
    return {"LG": {str(n): lg(n) for n in (1, 2, 3, 7, 34, 45222)},
            "W2": top_down(["Sex", "Job", "Salary"], owners, [(["Sex", "Job"], 4), (["Sex", "Salary"], 11)]),
            "W3": top_down(["Sex", "Job"], owners, [(["Sex", "Job"], 4)])}


# --- What the sources print ---------------------------------------------------------------------------------------------------

def check_rfc9496(vectors):
    for n, encoded in enumerate(vectors["multiples_of_the_generator"]):
        assert ristretto_encode(multiply(n, BASE)).hex() == encoded, n
        assert ristretto_encode(ristretto_decode(bytes.fromhex(encoded))).hex() == encoded, n
    for encoded in vectors["invalid_encodings"]:
        assert ristretto_decode(bytes.fromhex(encoded)) is None, encoded
    for each in vectors["from_uniform_bytes"]:
        uniform = hashlib.sha512(each["label"].encode()).digest()
        assert uniform.hex() == each["input"], each["label"]
        assert ristretto_encode(ristretto_from_hash(uniform)).hex() == each["output"], each["label"]


def check_rfc8032(vectors):
    for each in vectors["ed25519"]:
        key, signature = ed25519_sign(bytes.fromhex(each["seed"]), bytes.fromhex(each["message"]))
        assert (key.hex(), signature.hex()) == (each["verify_key"], each["signature"])


def check_chacha20():
    # The first block of the key stream for zeros: draft-strombergson-chacha-test-vectors, TC1, 256 bits.
    assert chacha20(bytes(32), bytes(8), 64).hex().startswith("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7")


def check_spec(vectors):
    """The numbers that the specification prints (2.3, W2, W3)."""
    assert vectors["LG"] == {"1": 0, "2": 4294967296, "3": 6807362105, "7": 12057497578, "34": 21850486522, "45222": 66420540420}
    w2, w3 = vectors["W2"], vectors["W3"]
    assert [each.get("packed") for each in w2] == ["00f0ffff03", "0000ffff03", "80ff", "00fe03", "e001", None]
    assert [w2[i]["Q"] for i in (0, 2, 3)] == [70186469209939, 152472945354342, 545638482881194]
    assert [each.get("reached") for each in w2] == [[34, 12], [16, 12], [7, 12], [7, 12], [4, 12], None]
    assert [w2[i]["leaves"] for i in range(4)] == [[12, 22], [12, 4, 18], [7, 5, 4, 18], [7, 5, 4, 9, 9]]
    assert int(w2[0]["keys"]["A"], 16) >> 24 == 33734607438252
    assert [(each["winner"], each.get("packed")) for each in w3] == [
        ("B", "0000ffff03"), ("B", "80ff"), ("B", "00fe03"), ("A", "00f0ff7102"), ("B", "e001"), (None, None)]
    assert w3[3]["Q"] == 151805733472135 and int(w3[3]["keys"]["B"], 16) >> 24 == 102559356609422
    assert w3[4]["Q"] == 410237426437688


MADE = {"psi": psi_vectors, "ot": ot_vectors, "compare": compare_vectors, "frames": frame_vectors, "runs": run_vectors}


def main():
    check_rfc9496(json.loads((VECTORS / "rfc9496.json").read_text()))
    check_rfc8032(json.loads((VECTORS / "rfc8032.json").read_text()))
    check_chacha20()
    for name, make in MADE.items():
        made = make()
        if name == "runs":
            check_spec(made)
        path = VECTORS / f"{name}.json"
        if sys.argv[1:] == ["--write"]:
            path.write_text(json.dumps(made, indent=1) + "\n")
        elif json.loads(path.read_text()) != made:
            sys.exit(f"{path.name} is not what the reference makes")
    print(f"{len(MADE) + 2} files hold")


if __name__ == "__main__":
    main()
