#!/usr/bin/env bash
# Installs what the tests need in addition to Go: a C compiler for the race detector, redis-server, Chromium, jq, and
# Python and Node for the SDK tests. It skips what is installed already.
#
#   scripts/setup.sh packaging   also systemd-analyze and two proxies
#   scripts/setup.sh packages    also the tools with which "make packages" checks packages
#   scripts/setup.sh hosts       also tmux and ip, for "make hosts"
set -euo pipefail
judges=${1:-}

have() {
	local name
	for name in "$@"; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	return 1
}

missing() {
	have "$(go env CC)" gcc cc clang || echo gcc
	have redis-server || echo redis-server
	have chromium chromium-browser google-chrome google-chrome-stable || echo chromium
	scripts/python.sh >/dev/null 2>&1 || echo python3
	node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' >/dev/null 2>&1 || echo node
	have npm || echo npm
	have jq || echo jq
	[[ $judges != packag* ]] || for name in systemd-analyze nginx caddy; do have "$name" || echo "$name"; done
	[[ $judges != hosts ]] || for name in tmux ip; do have "$name" || echo "$name"; done
	[[ $judges != packages ]] || for name in dpkg-deb mandoc promtool; do have "$name" || echo "$name"; done
}

# Debian's package names for one missing program.
packages() {
	case $1 in
	gcc) echo gcc libc6-dev ;;
	chromium) echo chromium fonts-liberation ;;
	node) echo nodejs ;;
	dpkg-deb) echo dpkg ;;
	ip) echo iproute2 ;;
	promtool) echo prometheus ;;
	systemd-analyze) echo systemd ;;
	nginx) echo nginx-light ;;
	python3) echo python3 python3-httpx python3-pytest python3-hatchling python3-trio mypy ;;
	*) echo "$1" ;;
	esac
}

if ! have go; then
	echo "setup: go is not in PATH; see https://go.dev/doc/install" >&2
	exit 1
fi

# What the TypeScript SDK, the simulator's page and the doubles are tested with, as their lockfiles say.
npm_packages() {
	local folder lock
	for folder in sdk/typescript chatsim/page/testdata/axe test/peers; do
		lock=$folder/package-lock.json
		cmp -s "$lock" "$folder/node_modules/.setup" && continue
		echo "setup: installing the packages of $folder"
		npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error </dev/null
		cp "$lock" "$folder/node_modules/.setup"
	done
}

cd "$(dirname "$0")/.."
wanted=()
programs=()
while read -r program; do
	[[ -n $program ]] || continue
	programs+=("$program")
	for package in $(packages "$program"); do
		wanted+=("$package")
	done
done < <(missing)

if [[ ${#wanted[@]} -eq 0 ]]; then
	npm_packages
	exit 0
fi

if ! have apt-get || [[ $(id -u) -ne 0 ]]; then
	echo "setup: the tests need ${programs[*]}. Install them and run again:" >&2
	if have apt-get; then
		echo "    sudo apt-get update && sudo apt-get install --yes ${wanted[*]}" >&2
	elif have brew; then
		echo "    brew install redis node python3 && brew install --cask chromium" >&2
		echo "    python3 -m pip install httpx pytest mypy hatchling trio" >&2
	else
		echo "    with your system's package manager: a C compiler, redis-server, chromium, npm, node from version 20," >&2
		echo "    and python3 with httpx, pytest, mypy, hatchling and trio" >&2
	fi
	exit 1
fi

echo "setup: installing ${wanted[*]}"
started=$SECONDS
export DEBIAN_FRONTEND=noninteractive
apt=(apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update && "${apt[@]}" install --yes --no-install-recommends "${wanted[@]}"; } >"$log" 2>&1 </dev/null; then
	cat "$log" >&2
	echo "setup: apt-get could not install ${wanted[*]}" >&2
	exit 1
fi

still=$(missing)
if [[ -n $still ]]; then
	echo "setup: still missing after installing: ${still//$'\n'/ }" >&2
	exit 1
fi
npm_packages
echo "setup: done in $((SECONDS - started)) s"
