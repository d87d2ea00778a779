# SPDX-License-Identifier: Apache-2.0
"""The UCI tables as CSV with their complete rows, and policies for them.

    uci.py adult|crx|german                                        writes NAME.csv (and adult's hierarchies)
    uci.py adult k=50 tax|sup on=a+b [on=c+d ...] > P.toml         templates of k-anonymity
    uci.py crx h=0.7 top=4 [each] > P.toml                         one confidence template: the rarer half of the values of the
                                                                   best N columns, given all other categorical columns;
                                                                   each: one template per value;
                                                                   categorical: numbers are left out
"""
import collections
import os
import re
import sys

FOLDER = os.environ["DATA"] + "/uci/"
ADULT = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
         "capital-loss hours-per-week native-country class").split()
GERMAN = "As Du Ch Lp Cd Sa Em In Ps Db Re Pr Ag Is Ho Ex Jo Nu Te Fo class".split()
NUMERIC = {
    "adult": {"age": (17, 90), "fnlwgt": (13492, 1490400), "education-num": (1, 16), "capital-gain": (0, 99999),
              "capital-loss": (0, 4356), "hours-per-week": (1, 99)},
    "crx": {"A2": (0, 100), "A3": (0, 30), "A8": (0, 30), "A11": (0, 70), "A14": (0, 2000), "A15": (0, 100000)},
    "german": {"Du": (4, 72), "Cd": (250, 18424), "In": (1, 4), "Re": (1, 4), "Ag": (19, 75), "Ex": (1, 4), "Nu": (1, 2)},
}
BEST = {"adult": ["marital-status", "relationship", "education", "sex"], "crx": ["A9", "A10", "A7", "A6"],
        "german": ["As", "Ch", "Sa", "Is", "Lp", "Db"]}
TREES = {
    "education": "ANY:{Below-post-sec:{Elementary:{Preschool,1st-4th,5th-6th,7th-8th},Secondary:{Junior:{9th,10th},Senior:{11th,"
                 "12th,HS-grad}}},Post-secondary:{Some-college,Associate:{Assoc-voc,Assoc-acdm},University:{Bachelors,Graduate:"
                 "{Masters,Prof-school,Doctorate}}}}",
    "marital-status": "ANY:{Ever-married:{Spouse-present:{Married-civ-spouse,Married-AF-spouse},Spouse-absent:{Divorced,Separated,"
                      "Widowed,Married-spouse-absent}},Never-married}",
    "workclass": "ANY:{Paid:{Private,Self-employed:{Self-emp-inc,Self-emp-not-inc},Government:{Federal-gov,Non-federal:{State-gov,"
                 "Local-gov}}},Unpaid:{Without-pay,Never-worked}}",
    "occupation": "ANY:{White-collar:{Adm-clerical,Exec-managerial,Prof-specialty,Sales,Tech-support},Blue-collar:{Craft-repair,"
                  "Farming-fishing,Handlers-cleaners,Machine-op-inspct,Transport-moving},Service:{Armed-Forces,Other-service,"
                  "Priv-house-serv,Protective-serv}}",
    "race": "ANY:{White,Non-white:{Black,Asian-Pac-Islander,Amer-Indian-Eskimo,Other}}",
    "sex": "ANY:{Male,Female}",
    "relationship": "ANY:{In-family:{Husband,Wife,Own-child,Other-relative},Outside-family:{Not-in-family,Unmarried}}",
    "native-country": "ANY:{Americas:{North-America:{US-and-territories:{United-States,Puerto-Rico,Outlying-US(Guam-USVI-etc)},"
                      "Canada,Mexico},Central-America-Caribbean:{Central-America:{Guatemala,Honduras,Nicaragua,El-Salvador},"
                      "Caribbean:{Cuba,Jamaica,Haiti,Dominican-Republic,Trinadad&Tobago}},South-America:{Columbia,Ecuador,Peru}},"
                      "Europe:{Western-Europe:{British-Isles:{England,Scotland,Ireland},France,Germany,Holand-Netherlands},"
                      "Southern-Europe:{Italy,Greece,Portugal},Eastern-Europe:{Poland,Hungary,Yugoslavia}},Asia:{East-Asia:{China,"
                      "Hong,Taiwan,Japan},Southeast-Asia:{Cambodia,Laos,Thailand,Vietnam,Philippines},South-West-Asia:{India,"
                      "Iran}},Unspecified:{South}}",
}


def rows_of(name):
    files = {"adult": ["adult.data", "adult.test"], "crx": ["crx.data"], "german": ["german.data"]}[name]
    for file in files:
        for line in open(FOLDER + file):
            cells = line.split() if name == "german" else [cell.strip() for cell in line.strip().rstrip(".").split(",")]
            if len(cells) > 10 and "?" not in cells:
                yield file, cells


def columns_of(name):
    if name == "crx":
        return ["A%d" % i for i in range(1, 16)] + ["class"]
    return ADULT if name == "adult" else GERMAN


def paths(text):
    """Leaf-to-root paths of a nested tree, filled up to one length."""
    found, stack = [], []
    for token in re.findall(r"[^:{},]+:\{|[^:{},]+|\}", text):
        if token.endswith(":{"):
            stack.append(token[:-2])
        elif token == "}":
            stack.pop()
        else:
            found.append([token] + stack[::-1])
    length = max(map(len, found))
    return [[path[0]] * (length - len(path)) + path for path in found]


def write_table(name):
    columns = columns_of(name)
    by_file = collections.defaultdict(list)
    for file, cells in rows_of(name):
        by_file[file].append(",".join(cells))
    header = ",".join(columns) + "\n"
    everything = [row for rows in by_file.values() for row in rows]
    open(name + ".csv", "w").write(header + "\n".join(everything) + "\n")
    if name == "adult":
        for part in ("data", "test"):
            open("adult_%s.csv" % part, "w").write(header + "\n".join(by_file["adult." + part]) + "\n")
        for column, tree in TREES.items():
            open(column + ".csv", "w").write("".join(";".join(path) + "\n" for path in paths(tree)))


def attribute(name, column, role, tax):
    text = '[attributes.%s]\nrole = "%s"\n' % (column, role)
    numeric = NUMERIC[name].get(column)
    if role == "quasi" and numeric:
        text += 'type = "numeric"\nrange = [%d, %d]\n' % numeric
    if role == "quasi" and not numeric and tax:
        text += 'hierarchy = "%s.csv"\n' % column
    return text + "\n"


def write_policy(name, arguments):
    columns = columns_of(name)
    keys = dict(argument.split("=") for argument in arguments if "=" in argument and not argument.startswith("on="))
    templates = [argument[3:].split("+") for argument in arguments if argument.startswith("on=")]
    quasi, sensitive, models = {column for on in templates for column in on}, set(), ""
    for on in templates:
        models += '[[privacy]]\nmodel = "k-anonymity"\nk = %s\non = %s\n\n' % (keys["k"], str(on).replace("'", '"'))
    if "h" in keys:
        top = BEST[name][:int(keys["top"])]
        sensitive = set(top)
        quasi = {c for c in columns[:-1] if c not in NUMERIC[name] and c not in sensitive}
        guarded, alone = [], []
        for column in top:
            counts = collections.Counter(cells[columns.index(column)] for _, cells in rows_of(name))
            rare = sorted(counts, key=lambda value: (counts[value], value))[:len(counts) // 2]
            guarded.append('"%s" = %s' % (column, str(rare).replace("'", '"')))
            alone += ['"%s" = ["%s"]' % (column, value) for value in rare]
        for values in alone if "each" in arguments else [", ".join(guarded)]:
            models += '[[privacy]]\nmodel = "confidence"\nvalues = { %s }\nh = %s\n\n' % (values, keys["h"])
    for column in columns:
        if "categorical" in arguments and column in NUMERIC[name]:
            print(attribute(name, column, "identifier", False), end="")
            continue
        role = "class" if column == "class" else "quasi" if column in quasi else "sensitive" if column in sensitive else "insensitive"
        print(attribute(name, column, role, "tax" in arguments), end="")
    print(models, end="")


if len(sys.argv) == 2:
    write_table(sys.argv[1])
else:
    write_policy(sys.argv[1], sys.argv[2:])
