#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The walkthrough of docs/two_parties.md on one machine: run.sh CORDON FOLDER
# Both parties run here; in earnest each has its own machine, its own key, and a copy of the pepper and of the policy.
set -eu
cordon=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
cp "$here/joint.toml" "$here/job.csv" "$folder"
python3 "$here/make_tables.py" "$folder"
cd "$folder"

# 1. Each makes a key; one of them the pepper.
bank_key=$("$cordon" party keygen --key bank.key 2> /dev/null)
bureau_key=$("$cordon" party keygen --key bureau.key 2> /dev/null)
"$cordon" party keygen --pepper pepper.key 2> /dev/null
printf '\n[parties.bank]\n%s\nmax_ids = 5000\n\n[parties.bureau]\n%s\nmax_ids = 5000\n' "$bank_key" "$bureau_key" >> joint.toml

# 2. Each reads what the policy asks of it, and approves its digest.
"$cordon" policy check joint.toml --party bank
"$cordon" policy check joint.toml --party bureau
digest=$("$cordon" policy check joint.toml --party bank | sed -n 's/.*joint policy: //p')

# 3. Each looks at what would leave its house.
"$cordon" party run bank.csv --policy joint.toml --party bank --key bank.key --pepper pepper.key \
  --journal bank.journal --register bank.register --dry-run

# 4. One listens, the other connects.
: > bank.address
"$cordon" party run bank.csv --policy joint.toml --party bank --key bank.key --pepper pepper.key --approve "$digest" \
  --journal bank.journal --register bank.register --output bank_release.csv --listen 127.0.0.1:0 2> bank.address &
bank=$!
while ! grep -q '^listening on' bank.address; do
  kill -0 "$bank" 2> /dev/null || { cat bank.address >&2; exit 2; }
  sleep 0.1
done
address=$(sed -n 's/^listening on //p' bank.address)
"$cordon" party run bureau.csv --policy joint.toml --party bureau --key bureau.key --pepper pepper.key --approve "$digest" \
  --journal bureau.journal --register bureau.register --output bureau_release.csv --connect "$address"
wait "$bank"
cmp bank_release.csv bureau_release.csv

# 5. Each audits its own journal. An auditor with both tables replays the run.
"$cordon" party audit bank.journal --policy joint.toml --release bank_release.csv
"$cordon" party replay bank.journal bureau.journal --table bank.csv --table bureau.csv --policy joint.toml --release bank_release.csv
