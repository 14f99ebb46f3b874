#!/usr/bin/env bash
# Follows the README as a newcomer does: the simulator, a question of their own, a Slack configuration with a test card, and
# the Claude Code plugin. It runs the commands of the README in a fresh clone, with an empty home and build cache, and only
# Go, git, make and curl on the PATH. Modules come from this machine's cache; with WARM=1 so do compiled packages. It prints
# each command and the minutes it took. All steps but the last run in a network namespace that has only loopback.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD

if [[ -z ${NEWCOMER_ROOT:-} ]]; then
	for tool in git go make curl script unshare ip; do
		command -v "$tool" >/dev/null || { echo "scripts/newcomer.sh needs $tool" >&2; exit 1; }
	done
	NEWCOMER_ROOT=$(mktemp -d)
	export NEWCOMER_ROOT
	trap 'chmod -R u+w "$NEWCOMER_ROOT"; rm -rf "$NEWCOMER_ROOT"' EXIT
	mkdir -p "$NEWCOMER_ROOT"/{bin,home}
	for tool in git go make curl; do ln -s "$(command -v "$tool")" "$NEWCOMER_ROOT/bin/$tool"; done
	[[ $(id -u) -eq 0 ]] && space=(unshare --net) || space=(unshare --net --map-root-user)
	"${space[@]}" bash "$0"
	# The host is Claude Code itself with a scripted model; its tests install it and have a network namespace of their own.
	echo "== $((SECONDS / 60)) min $((SECONDS % 60)) s: install the plugin in Claude Code and answer its question (test/hosts)"
	cd "$NEWCOMER_ROOT/askbridge"
	[[ -n ${WARM:-} ]] || export GOCACHE="$NEWCOMER_ROOT/home/.cache/go-build"
	timeout 600 go test -count=1 -tags hosts \
		-run 'TestHosts/claude$/the_plugin_answers_questions' ./test/hosts -part 3/13
	echo "== the plugin answered"
	echo "newcomer: everything reached after $((SECONDS / 60)) min $((SECONDS % 60)) s"
	exit
fi

root=$NEWCOMER_ROOT
home=$root/home
bare=(env -i "HOME=$home" "PATH=$root/bin:$home/.local/bin" "GOMODCACHE=$(go env GOMODCACHE)" GOPROXY=off GOTOOLCHAIN=local TERM=xterm)
if [[ -n ${WARM:-} ]]; then
	bare+=("GOCACHE=$(go env GOCACHE)" GOFLAGS=-trimpath)
fi
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# run prints a command and runs it as the newcomer.
run() {
	printf '%2d:%02d $ %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
	"${bare[@]}" "$BASH" -c "$1"
}

# serve runs a command in the background until "stop", and waits for a line of its output.
serve() {
	printf '%2d:%02d $ %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1"
	setsid "${bare[@]}" "$BASH" -c "exec $1" >"$root/out" 2>&1 &
	served=$!
	shows "$root/out" "$2"
}

# stop ends what serve has started, with its children.
stop() {
	kill -- "-$served"
	wait "$served" 2>/dev/null || true
}

# shows waits until a file contains a text.
shows() {
	for _ in {1..6000}; do
		grep -qF -- "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	echo "newcomer: no \"$2\" in:" >&2
	cat "$1" >&2
	exit 1
}

# press has Dana press a button on Slack, once it is there.
press() {
	for _ in {1..300}; do
		curl -sf localhost:7332/api/act -H 'content-type: application/json' -d "{\"platform\":\"slack\",\"person\":\"Dana\",\"do\":\"press\",\"control\":\"$1\"}" | grep -q '"done"' && return
		sleep 0.2
	done
	echo "newcomer: nobody could press $1" >&2
	exit 1
}

# readme prints the first command of the README that begins with a text, without its comment.
readme() {
	grep -m 1 -F -- "$1" README.md | sed 's/ *#.*//'
}

# answered asks as the README does, presses Yes, and compares the answer.
answered() {
	run "$(readme 'askbridge ask ')" >"$root/answer" &
	local asking=$!
	press Yes
	wait "$asking"
	cat "$root/answer"
	[[ $(tail -n 1 "$root/answer") == Yes ]] || { echo "newcomer: no Yes" >&2; exit 1; }
}

ip link set lo up
cd "$root"
run "git clone --quiet $source askbridge"
cd askbridge
serve "$(readme 'go run ./cmd/askbridge sim')" "Waiting for your answer on the page"
echo "== the simulator is there"
run "$(readme 'go build -o')"
answered
echo "== an own question is answered"
stop

serve "askbridge sim --mocks" "Waiting for bots"
mkfifo "$root/keys"
init="askbridge init --slack-api-url http://127.0.0.1:7361/api/"
echo "$init" | sed "s/^/$(printf '%2d:%02d' $((SECONDS / 60)) $((SECONDS % 60))) \$ /"
script -qefc "${bare[*]} $init" "$root/screen" <"$root/keys" >/dev/null &
init=$!
exec 3>"$root/keys"
# types waits for a prompt and types a line.
types() {
	shows "$root/screen" "$1"
	sleep 0.3
	echo "$2" >&3
}
types "Where do people answer?" 1
types "Bot token" xoxb-sim
types "App-level token" xapp-sim
types "#deploys" "#deploys"
shows "$root/screen" "Press a button on it"
press "It works"
wait "$init"
exec 3>&-
tr -d '\r' <"$root/screen" | tail -n 12
serve_bridge=$served
serve "askbridge serve" "connected to slack"
answered
stop
served=$serve_bridge
stop
echo "== Slack is configured, with a test card and a question answered"
