#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pipe of docs/cli.md against a real server: a table out of PostgreSQL, its release back into it.

    postgres_test.py CORDON FOLDER_OF_INITDB
"""
import os
import pwd
import shutil
import subprocess
import sys
import tempfile

cordon, tools = os.path.abspath(sys.argv[1]), sys.argv[2]

POLICY = """
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.zip]
role = "quasi"
hierarchy = { prefix = 5 }
[attributes.disease]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[[privacy]]
model = "l-diversity"
sensitive = "disease"
l = 2
"""


def as_server(command):
    """A server refuses to run as root; then it runs as the user that its package made, or as nobody."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", f"--reuid={server.pw_uid}", f"--regid={server.pw_gid}", "--clear-groups", *command]


def user_of_server():
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    sys.exit("no user to run a server as")


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


server = user_of_server()
folder = tempfile.mkdtemp(prefix="cordon_pg_")
try:
    if os.geteuid() == 0:
        os.chown(folder, server.pw_uid, server.pw_gid)
    data = os.path.join(folder, "data")
    run(as_server([f"{tools}/initdb", "-D", data, "-A", "trust", "-U", "tester", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]), cwd=folder)
    start = ["-D", data, "-w", "-t", "60", "-l", os.path.join(folder, "log"), "-o", f"-c listen_addresses='' -k {folder} -F"]
    run(as_server([f"{tools}/pg_ctl", *start, "start"]), cwd=folder)
    try:
        psql = ["psql", "-h", folder, "-U", "tester", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt"]
        ask = lambda query: run([*psql, "-c", query]).strip()
        ask("CREATE TABLE patients (name text, age int, zip text, disease text)")
        ask("""INSERT INTO patients SELECT 'Zoë, "' || i || '"', CASE WHEN i % 50 = 0 THEN NULL ELSE 20 + i % 60 END,
               lpad((53700 + i % 40)::text, 5, '0'), (ARRAY['flu','cold','asthma'])[1 + i % 3] FROM generate_series(1, 400) i""")
        ask("CREATE TABLE release (age text, zip text, disease text)")
        with open(os.path.join(folder, "policy.toml"), "w") as file:
            file.write(POLICY)
        words = " ".join(psql)
        pipe = (f'{words} -c "COPY (SELECT * FROM patients) TO STDOUT WITH (FORMAT csv, HEADER)" |'
                f" {cordon} anonymize - --format csv -p {folder}/policy.toml -o - |"
                f' {words} -c "COPY release FROM STDIN WITH (FORMAT csv, HEADER)"')
        run(["bash", "-o", "pipefail", "-c", pipe])
        assert ask("SELECT count(*) FROM release") == "400"
        assert int(ask("SELECT min(n) FROM (SELECT count(*) n FROM release GROUP BY age, zip) g")) >= 5
        assert int(ask("SELECT min(n) FROM (SELECT count(DISTINCT disease) n FROM release GROUP BY age, zip) g")) >= 2
        assert ask("SELECT disease, count(*) FROM release GROUP BY 1 ORDER BY 1") == ask(
            "SELECT disease, count(*) FROM patients GROUP BY 1 ORDER BY 1")
        # Ranges are ranges of the database.
        assert int(ask("SELECT count(*) FROM release WHERE age LIKE '[%' AND age::int4range && int4range(20, 90)")) > 0
    finally:
        run(as_server([f"{tools}/pg_ctl", "-D", data, "-m", "immediate", "stop"]), cwd=folder)
finally:
    shutil.rmtree(folder, ignore_errors=True)
print("ok")
