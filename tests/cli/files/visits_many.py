# SPDX-License-Identifier: Apache-2.0
"""Visits of many people, one each, with long cells: python3 visits_many.py ROWS"""
import sys

print("person,age,zip,disease")
for row in range(int(sys.argv[1])):
    zip_code = ("53703", "53706", "53711", "53715")[row * 7 % 4]
    print(f"p{row},{row * 13 % 100},{zip_code},{'abcdefghi'[row % 9] * 60}")
