# Each target prints what it does, and first installs the Debian packages that it needs.

# All Debian packages: those to build the programs, and those to run their tests.
packages := libbluetooth-dev libcurl4-openssl-dev libevdev-dev libexpat1-dev libgcrypt20-dev libgps-dev libjansson-dev libmicrohttpd-dev libqrencode-dev libsqlite3-dev libsystemd-dev libzip-dev pkg-config zlib1g-dev
test-packages := $(packages) binutils chromium dbus-daemon gpsbabel gpsd gpsd-clients iproute2 jq libxml2-utils mandoc netcat-openbsd osmium-tool python3-venv sqlite3 systemd tmux zsh
package-packages := debhelper lintian
machine-packages := bluez bluez-test-tools busybox-static cpio dbus dmsetup e2fsprogs gpsd kmod qemu-system-x86 systemd-sysv udev

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build run test pages accuracy test-all endure lint unit end-to-end first-beat first-boot test-sanitize test-vm test-systemd test-power \
	try-engine torture soak web-themes web-hour cut-files attack attack-short bench fuzz fuzz-short fuzz-cases .build/release/Fuzz install uninstall deb clean \
	requirements test-requirements machine-requirements

# lld packs relative relocations (0.7 MB of paced), which gold, the default linker, cannot. glibc 2.36 loads them;
# debian/control says so.
release := swift build -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs \
	-Xlinker -z -Xlinker now -Xlinker --no-export-dynamic -Xlinker --icf=safe
pytest := .build/venv/bin/python -B -m pytest -p no:cacheprovider Tests/EndToEnd
results := .build/results

build: requirements
	@echo "== building paced, pacectl, paced-net and paced-web"
	$(release) --product paced
	$(release) --product pacectl
	$(release) --product paced-net
	$(release) --product paced-web

# SESSION: run, ride or indoor.
run: build
	@Tools/demo $(SESSION)

# The directories of "make install"; DESTDIR is prepended to all.
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

# A stage keeps its output in .build/results. If it fails, its last lines name each failed test with its reason.
stage := Tools/stage
passed = @echo "== $@: all passed"; for stage in $(1); do tail -qn 1 $(results)/$$stage; done

# Half an hour on two cores from a fresh clone, with a beat through a real Bluetooth kernel and the package under systemd.
# The two virtual machines run in parallel. The clock of the one with systemd does not depend on the load.
test: lint unit end-to-end deb
	@Tools/side-by-side "$(MAKE) first-beat" "$(MAKE) first-boot"
	$(call passed,unit end-to-end first-beat first-boot)

# The slower tests that need no supervision, except those of "make test". The virtual machines run in parallel, because
# each uses about one processor. The clock of the one with systemd does not depend on this machine's load, so it may
# go on beside the sanitizers' builds, which leave it a processor.
test-all: deb .build/venv machine-requirements
	@Tools/side-by-side "$(MAKE) test-vm && nice $(MAKE) test-sanitize" "$(MAKE) test-systemd"
	@$(MAKE) test-power fuzz-short attack-short bench
	$(call passed,test-vm test-systemd test-sanitize test-power fuzz-short attack-short bench)

# Tests that take hours, started by hand.
endure: fuzz-cases torture soak attack cut-files web-themes web-hour

lint: requirements
	@echo "== formatting"
	@$(stage) lint swift format lint --strict --parallel -r Sources Tests Package.swift

unit: .build/venv
	@echo "== unit and integration tests"
	@$(stage) build swift build --build-tests
	@$(stage) unit Tools/swift-tests unit

test-sanitize: .build/venv
	@$(stage) test-sanitize Tools/sanitize

end-to-end: build .build/venv
	@echo "== the programs from outside"
	@$(stage) end-to-end Tools/end-to-end end-to-end

# Debian's kernel has virtual Bluetooth controllers on x86-64 only; elsewhere the script skips.
first-beat: build .build/venv machine-requirements
	@echo "== a beat through a real Bluetooth kernel, in a virtual machine"
	@$(stage) first-beat Tests/VirtualMachine/test 0 first

test-vm: build .build/venv machine-requirements
	@echo "== a real Bluetooth kernel, in a virtual machine"
	@$(stage) test-vm Tests/VirtualMachine/test 15 rest

first-boot: deb .build/venv machine-requirements
	@echo "== the package on a board with systemd, from its installation to its first beat, in a virtual machine"
	@$(stage) first-boot Tests/VirtualMachine/test-systemd .build/paced_*.deb first-beat

test-systemd: deb .build/venv machine-requirements
	@echo "== the package on a board with systemd, from its installation to a cut, in a virtual machine"
	@$(stage) test-systemd Tests/VirtualMachine/test-systemd .build/paced_*.deb

test-power: build machine-requirements
	@echo "== a run whose power is cut, on a real disk"
	@$(stage) test-power Tests/PowerCut/test 30 20 3

torture: build .build/venv machine-requirements
	@echo "== a recording that is killed a thousand times"
	swift build --build-tests
	PACED_KILLS=1000 swift test --skip-build --disable-xctest --filter KilledProcessTests 2>&1 | grep -aE '✘|Test run'
	PACED_RUN_KILLS=1000 $(pytest)/test_kills.py -s
	@echo "== the Bluetooth kernel with 50 drops, some after two minutes"
	Tests/VirtualMachine/test 50
	@echo "== ten minutes of a run, the power cut at each flush and 200 times between"
	Tests/PowerCut/test 600 200 20

cut-files: build .build/venv
	@echo "== 500 cuts of a FIT file"
	PACED_CUTS=500 $(pytest)/test_activities.py -k cut_fit

soak: build .build/venv
	@echo "== ten minutes of a run, every line of it checked"
	PACED_SECONDS=600 $(pytest)/test_run.py

web-themes: build .build/venv
	@echo "== the pages in each theme"
	PACED_ALL_THEMES=1 $(pytest) -k test_web

web-hour: build .build/venv
	@echo "== an hour of the page in a browser, beside fifteen readers"
	PACED_SECONDS=3600 $(pytest)/test_web_endurance.py -s

# One attack, or a repeated run: make attack ATTACK='lap-flood --seed 7'.
attack: build .build/venv
	@echo "== five minutes of attacks on the programs"
	@$(stage) attack .build/venv/bin/python -B Tests/Attack/attack.py $(ATTACK)

# A real route engine, by hand: make try-engine BROUTER=DIR, with BRouter's source in DIR.
try-engine: build .build/venv
	@Tools/try-engine $(BROUTER)

attack-short: build .build/venv
	@echo "== a minute of attacks on the programs"
	@$(stage) attack-short .build/venv/bin/python -B Tests/Attack/attack.py --short --seed 1

# Generated from the tables of keys and settings: the example paced.conf, the lists in its manual page, and the settings of
# schema.json and docs/protocol.md, their data fields; then paced_json(5) from docs/protocol.md.
pages: requirements
	PACED_WRITE_PAGES=1 swift test --disable-xctest --filter 'ConfigurationPageTests|ProtocolTableTests'
	Tools/protocol-page

# Writes the table of docs/accuracy.md from the recordings of Tests/Data and of ../shared/data, where that is.
accuracy: requirements
	PACED_WRITE_PAGES=1 swift test --disable-xctest --filter AccuracyTests

bench: build
	@echo "== nanoseconds and allocations of the hot paths"
	$(release) --product Bench
	@$(stage) bench .build/release/Bench

.build/release/Fuzz: requirements
	$(release) --product Fuzz

fuzz-short: .build/release/Fuzz
	@echo "== a hundred thousand random cases for each reader of bytes from outside"
	@$(stage) fuzz-short timeout 300 .build/release/Fuzz --cases 100000 --keep .build/fuzz-case

fuzz-cases: .build/release/Fuzz
	@echo "== a million random cases for each reader of bytes from outside"
	@$(stage) fuzz-cases timeout 900 .build/release/Fuzz --cases 1000000 --keep .build/fuzz-case

fuzz: requirements
	@Tools/fuzz

# Rebuilt when the list of packages changes.
.build/venv: Tests/requirements.txt | test-requirements
	@echo "== the tests' Python packages"
	@rm -rf $@; /usr/bin/python3 -m venv $@
	@$@/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $< || { rm -rf $@; exit 1; }
	@touch $@

requirements:
	@Tools/require $(packages)

machine-requirements:
	@[ "$$(uname -m)" != x86_64 ] || Tools/require $(machine-packages)

test-requirements:
	@Tools/require $(test-packages)

clean:
	@echo "== removing .build"
	rm -rf .build
