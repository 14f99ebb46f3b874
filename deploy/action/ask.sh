#!/usr/bin/env bash
# Asks people and waits: the step of action.yml, which sets the environment. Writes the outputs answer, state, by and
# request. Fails unless people answered, and if REQUIRE lists answers, unless they chose one of them.
set -euo pipefail

args=()
# each FLAG TEXT adds the flag for every line of the text that is not blank.
each() {
	local line
	while IFS= read -r line; do
		[[ -z ${line//[[:space:]]/} ]] || args+=("$1=$line")
	done <<<"$2"
}
# one FLAG VALUE adds the flag if the value is not empty.
one() { [[ -z $2 ]] || args+=("$1=$2"); }

each --to "$PLACES"
each --responder "$RESPONDERS"
one --context "$CONTEXT"
one --route "$ROUTE"
one --need "$NEED"
one --expires-in "$EXPIRES_IN"
one --timeout "$TIMEOUT"

# A step that runs again within one attempt finds its question; a new attempt asks again.
run=$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID
args+=("--key=github/$GITHUB_REPOSITORY/$GITHUB_RUN_ID/$GITHUB_RUN_ATTEMPT/$GITHUB_JOB/$STEP")
args+=("--source=$GITHUB_REPOSITORY, run $GITHUB_RUN_NUMBER=$run")

words=("$QUESTION")
while IFS= read -r line; do
	[[ -z ${line//[[:space:]]/} ]] || words+=("$line")
done <<<"$OPTIONS"

code=0
"$PROGRAM" ask --json "${args[@]}" -- "${words[@]}" >"$RUNNER_TEMP/askbridge.json" || code=$?

# output NAME VALUE writes an output. No line of the value can end it early.
output() {
	local end
	end=end_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}
# member FILTER prints a part of the request; nothing if it has none, or if there is no request.
member() { jq -r "$1" "$RUNNER_TEMP/askbridge.json" 2>/dev/null || true; }

answer=$(member '.answers[0] | (.selected // [])[], ((.other // "") | select(. != ""))')
state=$(member '.state // empty')
output answer "$answer"
output state "$state"
output by "$(member '.by.name // empty')"
output request "$(member '.id // empty')"

if ((code != 0)); then
	echo "::error::askbridge: no answer (state ${state:-unknown}, exit code $code)"
	exit "$code"
fi
if [[ -n ${REQUIRE//[[:space:]]/} ]] && ! grep -qxF -- "$answer" <<<"$REQUIRE"; then
	echo "::error::askbridge: the answer is not one that lets the workflow go on"
	exit 1
fi
