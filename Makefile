# The front door for people; CMakePresets.json holds the builds themselves.
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
# The tests that kill and wait leave the cores idle, so twice as many run. Tests marked COST take longest and start first.
TESTS  ?= $(shell echo $$((2 * $(JOBS))))
FUZZ_SECONDS ?= 60

.PHONY: build test demo bench format check-format lint analyze sanitize asan tsan dev alone fuzz verifiers full dbt reproduce python-test spark-test spark-cluster-test wheel nightly package install clean

build: | build/
	@scripts/bootstrap.sh build test duckdb
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release --parallel $(JOBS) --target cordon_cli

test: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	ctest --preset release --parallel $(TESTS)

demo: | build/
	@$(MAKE) --no-print-directory build
	@scripts/demo.sh build/release/cordon build/demo

bench: | build/
	@scripts/bootstrap.sh build duckdb bench
	cmake --preset bench
	cmake --build --preset bench --parallel $(JOBS)
	bench/run_all.sh build/bench

format:
	@scripts/bootstrap.sh format
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

check-format:
	@scripts/bootstrap.sh format
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run -Werror

# clang-tidy over the merged files of the release build: a tenth of the time it takes file by file.
lint: check-format
	@scripts/bootstrap.sh build test duckdb lint
	cmake --preset release
	run-clang-tidy-19 -p build/release -quiet -j $(JOBS) -warnings-as-errors='*' '/src/cordon/'

# Clang's static analyzer, also over the merged files. It takes twice the time of the rest of clang-tidy, so `make lint` leaves
# it out.
analyze:
	@scripts/bootstrap.sh build test duckdb lint
	cmake --preset release
	run-clang-tidy-19 -p build/release -quiet -j $(JOBS) -checks='-*,clang-analyzer-*,-clang-analyzer-optin.performance.Padding' -warnings-as-errors='*' '/src/cordon/'

# The unit tests under the sanitizers of addresses and undefined behaviour, without the searches of all of adult and fars in
# shards, which take minutes there; `make asan` runs all tests so.
sanitize: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset asan
	cmake --build --preset asan --parallel $(JOBS) --target unit_tests
	ctest --preset asan --parallel $(TESTS) -L unit -E 'ShardsOf(Adult|Fars)'

# What is left out runs nothing that the sanitizers have seen.
asan tsan: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset $@
	cmake --build --preset $@ --parallel $(JOBS)
	ctest --preset $@ --parallel $(TESTS) -E '^(compile_fail|install|architecture|browser)\.|^scripts\.docs$$'

# Every file alone, and warnings are errors. `ctest --preset dev` runs its tests, which are those of `make test`.
dev: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset $@
	cmake --build --preset $@ --parallel $(JOBS)

# The same warnings as errors, without making code.
alone: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset dev
	scripts/compile_alone.sh build/dev $(JOBS)

fuzz: | build/
	@scripts/bootstrap.sh build duckdb fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz --parallel $(JOBS)
	scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS) $(JOBS)

# cordon verify and scripts/verify_release.py on many random releases, streams and joins, clean and tampered with. Parquet and
# stores are among them if `make python-test` was run before: its environment has pyarrow.
verifiers: build
	$(or $(wildcard build/python/bin/python),python3) -B tests/scripts/two_verifiers_test.py build/release/cordon --tables 10000 --streams 5000 --joins 5000

# The tests with all of their cases: every random table, the public tables whole, programs killed and the power lost at every
# place. `make test` takes some cases of each.
full: | build/
	@scripts/bootstrap.sh build test duckdb
	cmake --preset release
	cmake --build --preset release --parallel $(JOBS)
	CORDON_TEST_ALL=1 ctest --preset release --parallel $(TESTS)

# The experiments of the sources, with a verdict on every claim. REPRODUCE_SCALE=paper takes the sources' sizes.
REPRODUCE_SCALE ?= small
reproduce: build
	@cmake --build --preset release --parallel $(JOBS) --target ke_appends
	python3 -B bench/reproduce.py --scale $(REPRODUCE_SCALE) $(if $(CORDON_DATA_DIR),--data $(CORDON_DATA_DIR))

# The Python module, with nanobind and the libraries of its tests from PyPI in a separate environment. Once it was there,
# `make test` runs these tests along.
PYTHON ?= python3
python-test: | build/
	@scripts/bootstrap.sh build test duckdb python
	@[ -x build/python/bin/python ] || $(PYTHON) -m venv build/python
	@build/python/bin/python -m pip install --quiet --disable-pip-version-check 'nanobind>=3,<4' -r python/tests/requirements.txt
	cmake --preset release -DCORDON_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python
	cmake --build --preset release --parallel $(JOBS) --target pycordon_core
	ctest --preset release -R '^python\.'

# pycordon.spark on a Spark in one process, and on a cluster of a master and two workers. PySpark comes from PyPI (500 MB) into
# a separate environment; it needs Java 17.
spark-test spark-cluster-test: | build/
	@scripts/bootstrap.sh build test duckdb python spark
	@[ -x build/python/bin/python ] || $(PYTHON) -m venv build/python
	@build/python/bin/python -m pip install --quiet --disable-pip-version-check 'nanobind>=3,<4'
	@[ -x build/spark/bin/python ] || $(PYTHON) -m venv build/spark
	@build/spark/bin/python -m pip install --quiet --disable-pip-version-check -r python/spark_tests/requirements.txt
	cmake --preset release -DCORDON_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python
	cmake --build --preset release --parallel $(JOBS) --target pycordon_core
	PYTHONPATH=build/release/python build/spark/bin/python -B -m pytest -q -p no:cacheprovider \
	  python/spark_tests/test_$(if $(findstring cluster,$@),cluster,local).py

# The generic test for dbt, run by dbt itself, which comes from PyPI into a separate environment.
dbt: build
	@test -x build/dbt/bin/dbt || { $(PYTHON) -m venv build/dbt && build/dbt/bin/python -m pip install --quiet --disable-pip-version-check dbt-core==1.9.4 dbt-duckdb==1.9.2 duckdb==1.4.4; }
	python3 -B integrations/dbt/dbt_test.py build/release/cordon build/dbt/bin/dbt

# Wheels for every Python that is found, and the source archive: build/wheels.
wheel: | build/
	@scripts/bootstrap.sh build duckdb python
	@scripts/wheel.sh build/wheels

# What takes too long for every change. Run it before a release, with nothing next to it. A part that fails does not stop the
# others; parts that have passed on this commit are not run again. build/nightly/summary.md has the outcome of each.
NIGHTLY ?= lint analyze alone asan tsan fuzz python-test verifiers full dbt reproduce spark-test spark-cluster-test wheel
nightly: export FUZZ_SECONDS = 600
nightly: | build/
	@scripts/nightly.sh build/nightly $(NIGHTLY)

package: | build/
	@scripts/bootstrap.sh build test duckdb package
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release --parallel $(JOBS) --target cordon_cli
	@scripts/package.sh build/release build/package
	@scripts/test_package.sh build/package

install: build
	@cmake --build --preset release --parallel $(JOBS) --target cordon cordon_static
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build

build/:
	@mkdir -p build
