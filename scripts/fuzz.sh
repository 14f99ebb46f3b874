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

# fuzz DIR NAME runs one target, again when only the engine failed.
fuzz() {
	local attempt
	for attempt in 1 2 3; do
		if go test "$1" -run '^$' -fuzz "^$2\$" -fuzztime "$fuzztime" -fuzzminimizetime 10s >"$log" 2>&1 </dev/null; then
			return 0
		fi
		ran_out_of_time "$log" || break
		echo "  attempt $attempt: the engine reported its own deadline"
	done
	cat "$log"
	return 1
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
count=0
failed=()
started=$SECONDS
while read -r dir name; do
	[[ -n $name ]] || continue
	count=$((count + 1))
	printf '%-40s %s\n' "$name" "$dir"
	fuzz "$dir" "$name" || failed+=("$dir $name")
done < <(targets || true)

echo "fuzz: $count targets for $fuzztime each, $((SECONDS - started)) s"
if [[ ${#failed[@]} -gt 0 ]]; then
	printf 'fuzz: found something in %s\n' "${failed[@]}" >&2
	echo "fuzz: the failing input now lies in testdata/fuzz; fix the code and commit the input with the fix" >&2
	exit 1
fi
