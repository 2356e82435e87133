# Each target prints what it does, and first installs the Debian packages that it needs.

# All Debian packages: those to build the programs, and those to run their tests. The virtual machines are for x86-64 only.
packages := libbluetooth-dev libcurl4-openssl-dev libevdev-dev libexpat1-dev libgcrypt20-dev libgps-dev libjansson-dev libmicrohttpd-dev libmosquitto-dev libqrencode-dev libsqlite3-dev libssl-dev libsystemd-dev libzip-dev pkg-config zlib1g-dev
deb-packages := binutils debhelper lintian
test-packages := $(packages) $(deb-packages) chromium-headless-shell dbus-daemon gpsbabel gpsd gpsd-clients iproute2 jq libxml2-utils mandoc mosquitto mosquitto-clients netcat-openbsd openssl osmium-tool postgresql python3-venv sqlite3 strace systemd tilemaker tmux zsh
ifeq ($(shell uname -m),x86_64)
test-packages += bluez bluez-test-tools busybox-static cpio dbus dmsetup e2fsprogs kmod qemu-system-x86 systemd-sysv udev
endif

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
# Without HOME, swift would keep its caches in /home; the home of the user database is meant.
ifndef HOME
export HOME := $(shell echo ~)
endif
.DEFAULT_GOAL := build
.NOTPARALLEL:

# The stages of each target, and what they need: the table in Tests/README.md, and Tools/stages.
test := lint unit end-to-end deb first-beat first-boot
ci := test-address test-vm test-systemd test-power fuzz-short attack-short bench
rest := unit-debug end-to-end-rest test-thread test-vm-rest test-systemd-rest test-power-rest fuzz-rest
stages := $(test) $(ci) $(rest)

.PHONY: build run test ci test-all endure $(stages) torture link-kills link-power-cuts upload-kills link-hour cut-files soak \
	web-themes web-hour attack fuzz-cases fuzz try-engine pages accuracy install uninstall clean requirements test-requirements

pytest := .build/venv/bin/python -B -m pytest Tests/EndToEnd
swift-test := swift test -c release --skip-build --disable-xctest

build: requirements
	@Tools/stages build

# SESSION: run, ride or indoor.
run: requirements
	@Tools/demo $(SESSION)

# Twelve minutes on two cores from a fresh clone, seven of them for the builds.
test: test-requirements
	@Tools/stages $(test)

# What .ci/run runs after "make test".
ci: test-requirements
	@Tools/stages $(ci)

# All tests that need no supervision, except those of "make test". Tools/affected names the stages that a change needs.
test-all: test-requirements
	@Tools/stages $(filter-out test-power fuzz-short,$(ci)) $(rest)

$(filter-out lint deb bench,$(stages)): test-requirements
	@Tools/stages $@

lint bench: requirements
	@Tools/stages $@

deb:
	@Tools/require $(packages) $(deb-packages)
	@Tools/stages $@

# Tests that take hours, started by hand.
endure: fuzz-cases torture link-kills link-power-cuts upload-kills soak attack cut-files web-themes web-hour link-hour

# The directories of "make install"; DESTDIR is prepended to all.
prefix := /usr/local
sysconfdir := /etc
export prefix sysconfdir unitdir udevdir DESTDIR

install:
	@Tools/install

uninstall:
	@Tools/install --remove

torture: test-requirements .build/venv
	@Tools/stages build-tests
	@echo "== a recording that is killed a thousand times"
	PACED_KILLS=1000 $(swift-test) --filter KilledProcessTests 2>&1 | grep -aE '✘|Test run'
	PACED_RUN_KILLS=1000 $(pytest)/test_kills.py -s
	@echo "== the Bluetooth kernel with 50 drops, some after two minutes"
	Tests/VirtualMachine/test 50
	@echo "== ten minutes of a run, the power cut at each flush and 200 times between"
	Tests/PowerCut/test 600 200 20

link-kills: build .build/venv
	@echo "== rows that flow while the broker, the collector and paced-link are killed a thousand times"
	.build/venv/bin/python -B Tests/Link/kills.py --kills 1000

upload-kills: build .build/venv
	@echo "== uploads and logins while paced-link is killed a thousand times"
	.build/venv/bin/python -B Tests/Link/upload_kills.py --kills 1000

link-power-cuts: build .build/venv
	@echo "== 300 power cuts of a board that sends its run"
	.build/venv/bin/python -B Tests/Link/power_cuts.py --cuts 300

link-hour: build .build/venv
	@echo "== an hour of paced-link with every sink off, its sockets watched"
	PACED_SECONDS=3600 $(pytest)/test_link_silence.py -s

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

# Five minutes. One attack, or a repeated run: make attack ATTACK='lap-flood --seed 7'.
attack: build .build/venv
	.build/venv/bin/python -B Tests/Attack/attack.py $(ATTACK)

# A million random cases for each reader of bytes from outside.
fuzz-cases: requirements
	@Tools/stages build-tools
	timeout 900 .build/release/Fuzz --cases 1000000 --keep .build/fuzz-case

fuzz: requirements
	@Tools/fuzz

# A real route engine, by hand: make try-engine BROUTER=DIR, with BRouter's source in DIR.
try-engine: build .build/venv
	@Tools/try-engine $(BROUTER)

# Generated from the tables of keys and settings: the example paced.conf, the lists in its manual page, and the settings of
# schema.json and docs/protocol.md, their data fields; then paced_json(5) from docs/protocol.md.
pages: requirements
	@Tools/stages build-tests
	PACED_WRITE_PAGES=1 $(swift-test) --filter 'ConfigurationPageTests|ProtocolTableTests|PageTablesTests'
	Tools/protocol-page

# Writes the table of docs/accuracy.md from the recordings of Tests/Data and of ../shared/data, where that is.
accuracy: requirements
	@Tools/stages build-tests
	PACED_WRITE_PAGES=1 $(swift-test) --filter AccuracyTests

# Rebuilt when the list of packages changes.
.build/venv: Tests/requirements.txt | test-requirements
	@echo "== the tests' Python packages"
	@rm -rf $@; /usr/bin/python3 -m venv $@
	@$@/bin/pip install --quiet --disable-pip-version-check --require-hashes -r $< || { rm -rf $@; exit 1; }
	@touch $@

requirements:
	@Tools/require $(packages)

test-requirements:
	@Tools/require $(test-packages)
	@[ "$$(uname -m)" != x86_64 ] || Tests/VirtualMachine/kernel >/dev/null

clean:
	@echo "== removing .build"
	rm -rf .build
