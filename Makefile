# What README.md tells to type. Each target says what it does, and first installs the Debian packages that it needs.

# The one list of Debian packages: what the programs are built with, and what their tests run beside it.
packages := libbluetooth-dev libevdev-dev libexpat1-dev libgps-dev libinih-dev libjansson-dev libsqlite3-dev libsystemd-dev pkg-config
test-packages := $(packages) binutils dbus-daemon gpsbabel gpsd gpsd-clients jq libxml2-utils mandoc netcat-openbsd python3-venv sqlite3 systemd tmux zsh
package-packages := debhelper lintian
machine-packages := bluez bluez-test-tools busybox-static cpio dbus dmsetup e2fsprogs gpsd kmod qemu-system-x86 systemd-sysv udev

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build run test lint unit test-sanitize end-to-end test-vm test-systemd test-power torture soak attack bench fuzz fuzz-cases install uninstall deb clean requirements test-requirements

release := swift build -c release --static-swift-stdlib -Xlinker -z -Xlinker now
pytest := .build/venv/bin/python -B -m pytest -p no:cacheprovider Tests/EndToEnd
results := .build/results

build: requirements
	@echo "== building paced and pacectl"
	$(release) --product paced
	$(release) --product pacectl

run: build
	@Tools/demo

# Where "make install" puts things; DESTDIR goes before all of it.
prefix := /usr/local
sysconfdir := /etc
export prefix sysconfdir unitdir udevdir DESTDIR

install:
	@Tools/install

uninstall:
	@Tools/install --remove

deb: build
	@echo "== packing"
	@Tools/require $(package-packages)
	@Tools/deb

# The last lines are what each runner said last.
test: lint unit test-sanitize end-to-end test-vm test-systemd test-power fuzz-cases bench
	@echo "== all passed"; tail -qn 1 $(results)/*

lint: requirements
	@echo "== formatting"
	swift format lint --strict --parallel -r Sources Tests Package.swift

unit: .build/venv
	@echo "== unit and integration tests"
	swift build --build-tests
	@Tools/swift-tests 1-unit

test-sanitize: .build/venv
	@Tools/sanitize

end-to-end: build .build/venv
	@echo "== the programs from outside"; mkdir -p $(results)
	$(pytest) | tee $(results)/3-end-to-end

# Debian's kernel has virtual Bluetooth controllers on x86-64 only; elsewhere the script says that it skips.
test-vm: build .build/venv
	@echo "== a real Bluetooth kernel, in a virtual machine"; mkdir -p $(results)
	@[ "$$(uname -m)" != x86_64 ] || Tools/require $(machine-packages)
	Tests/VirtualMachine/test 15 | tee $(results)/3-test-vm

test-systemd: deb .build/venv
	@echo "== the package on a board with systemd, from its installation to a cut, in a virtual machine"; mkdir -p $(results)
	@[ "$$(uname -m)" != x86_64 ] || Tools/require $(machine-packages)
	Tests/VirtualMachine/test-systemd .build/paced_*.deb | tee $(results)/3-test-systemd

test-power: build
	@echo "== a run whose power is cut, on a real disk"; mkdir -p $(results)
	@[ "$$(uname -m)" != x86_64 ] || Tools/require $(machine-packages)
	Tests/PowerCut/test 30 20 3 | tee $(results)/3-test-power

torture: build .build/venv
	@echo "== a recording that is killed a thousand times"
	swift build --build-tests
	PACED_KILLS=1000 swift test --skip-build --disable-xctest --filter KilledProcessTests 2>&1 | grep -aE '✘|Test run'
	PACED_RUN_KILLS=1000 $(pytest)/test_kills.py -s
	@echo "== the Bluetooth kernel with 50 drops, some after two minutes"
	@[ "$$(uname -m)" != x86_64 ] || Tools/require $(machine-packages)
	Tests/VirtualMachine/test 50
	@echo "== ten minutes of a run, the power cut at each flush and 200 times between"
	Tests/PowerCut/test 600 200 20

soak: build .build/venv
	@echo "== ten minutes of a run, every line of it checked"
	PACED_SECONDS=600 $(pytest)/test_run.py

# Not part of "make test". One attack, or a run once more: make attack ATTACK='lap-flood --seed 7'.
attack: build .build/venv
	@echo "== five minutes of attacks on the programs"
	.build/venv/bin/python -B Tests/Attack/attack.py $(ATTACK)

bench: requirements
	@echo "== nanoseconds and allocations of the hot paths"; mkdir -p $(results)
	$(release) --product Bench
	.build/release/Bench | tee $(results)/5-bench

fuzz-cases: requirements
	@echo "== a million random cases for each reader of bytes from outside"; mkdir -p $(results)
	$(release) --product Fuzz
	timeout 900 .build/release/Fuzz --cases 1000000 --keep .build/fuzz-case | tee $(results)/4-fuzz

fuzz: requirements
	@Tools/fuzz

# Remade when the list of what is in it changes.
.build/venv: Tests/requirements.txt | test-requirements
	@echo "== the tests' Python packages"
	@rm -rf $@; /usr/bin/python3 -m venv $@
	@$@/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $< || { rm -rf $@; exit 1; }
	@touch $@

requirements:
	@Tools/require $(packages)

test-requirements:
	@Tools/require $(test-packages)

clean:
	@echo "== removing .build"
	rm -rf .build
