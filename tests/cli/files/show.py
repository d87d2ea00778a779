# SPDX-License-Identifier: Apache-2.0
"""r.json in a line: steps, what each template reaches, groups, and how many values the refined columns show."""
import json

report = json.load(open("r.json"))
details = report["details"]
shown = {key[6:]: count for key, count in details.items() if key.startswith("shown_") and count > 1}
print(details["refinements"], "steps", *[verdict["reached_exact"] for verdict in report["privacy"]],
      report["groups"], "groups of", report["group_size"]["min"], shown)
