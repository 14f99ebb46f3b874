#!/usr/bin/env bash
# Makes docs/picture.png: the simulator with one question on both platforms.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
sim=
trap '[[ -z $sim ]] || kill "$sim"; rm -rf "$work"' EXIT

go build -o "$work/askbridge" ./cmd/askbridge
"$work/askbridge" sim --scene deploy --addr 127.0.0.1:0 --listen 127.0.0.1:0 >"$work/said" &
sim=$!
# It says that it waits when the card is on both platforms.
until grep -q '^Waiting' "$work/said"; do
	kill -0 "$sim"
	sleep 0.1
done
page=$(awk '$1 == "Page" { print $2 }' "$work/said")

chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
	--disable-component-update --disable-sync --user-data-dir="$work/browser" --hide-scrollbars \
	--window-size=1280,860 --timeout=5000 --screenshot=docs/picture.png "$page"
