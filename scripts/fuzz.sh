#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME each (default 30s).
# FUZZ picks some by regular expression: FUZZ=Token scripts/fuzz.sh
set -euo pipefail
cd "$(dirname "$0")/.."

fuzztime=${FUZZTIME:-30s}
only=${FUZZ:-.}

# One line per target: folder and function name.
targets() {
	git ls-files -z --cached --others --exclude-standard -- '*_test.go' |
		xargs -0 grep -HoE '^func Fuzz[A-Za-z0-9_]+' 2>/dev/null |
		sed -E 's|^(.*/)?[^/]+:func (Fuzz.*)$|./\1 \2|' |
		grep -E -- "$only" | sort -u
}

# Before Go 1.27 the fuzzing engine sometimes reports its own deadline as a
# failure (https://go.dev/issue/75804). A real finding always names its input.
ran_out_of_time() {
	grep -q 'context deadline exceeded' "$1" &&
		! grep -qE 'Failing input written|seed corpus entry|panic:' "$1"
}

# fuzz DIR NAME runs one target, again when only the engine failed. Its program has
# been built once for all targets of the folder.
fuzz() {
	local attempt log
	log=$(program "$1").$2.log
	for attempt in 1 2 3; do
		if (cd "$1" && "$(program "$1")" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$fuzztime" -test.fuzzminimizetime 10s \
			-test.fuzzcachedir "$work/corpus/$1" -test.parallel 1) >"$log" 2>&1 </dev/null; then
			printf '%-40s %s\n' "$2" "$1"
			return 0
		fi
		ran_out_of_time "$log" || break
		echo "  attempt $attempt of $2: the engine reported its own deadline"
	done
	cat "$log"
	echo "$1 $2" >>"$work/failed"
}

# program DIR is where the folder's tests are, as a program made for fuzzing.
program() { echo "$work/$(tr './' '__' <<<"$1").test"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
started=$SECONDS
targets >"$work/targets"
for dir in $(cut -d' ' -f1 "$work/targets" | sort -u); do
	go test -c -vet=off -fuzz . -o "$(program "$dir")" "$dir"
done
echo "fuzz: built in $((SECONDS - started)) s"

# One target to a processor: the engine's own workers are more to each than a small
# machine has.
export -f fuzz program ran_out_of_time
export work fuzztime
xargs -P "$(nproc)" -L 1 bash -c 'fuzz "$0" "$1"' <"$work/targets"

echo "fuzz: $(wc -l <"$work/targets") targets for $fuzztime each, $((SECONDS - started)) s"
if [[ -s $work/failed ]]; then
	sed 's/^/fuzz: found something in /' "$work/failed" >&2
	echo "fuzz: the failing input now lies in testdata/fuzz; fix the code and commit the input with the fix" >&2
	exit 1
fi
