#!/usr/bin/env bash
# Downloads a release of askbridge, checks it against the release's checksums, and writes the output "program".
# RELEASES is where releases are; only tests set it.
set -euo pipefail

releases=${RELEASES:-https://github.com/askbridge/askbridge/releases/download}
case "$(uname -s)" in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) echo "::error::askbridge: this action runs on Linux and macOS runners; on others give the input program" && exit 1 ;;
esac
case "$(uname -m)" in
x86_64) arch=amd64 ;;
arm64 | aarch64) arch=arm64 ;;
*) echo "::error::askbridge: there is no release for $(uname -m)" && exit 1 ;;
esac

version=${VERSION#v}
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]]; then
	echo "::error::askbridge: \"$VERSION\" is no version, such as 0.1.0"
	exit 1
fi
folder=${RUNNER_TEMP:?}/askbridge-$version
archive=askbridge_${version}_${os}_$arch.tar.gz
mkdir -p "$folder"
cd "$folder"
for file in "$archive" checksums.txt; do
	curl --silent --show-error --fail --location --retry 3 --max-time 120 --output "$file" "$releases/v$version/$file"
done
want=$(awk -v name="$archive" '$2 == name { print $1 }' checksums.txt)
if command -v sha256sum >/dev/null; then
	got=$(sha256sum "$archive" | cut -d' ' -f1)
else
	got=$(shasum -a 256 "$archive" | cut -d' ' -f1)
fi
if [[ -z $want || $got != "$want" ]]; then
	echo "::error::askbridge: $archive does not match checksums.txt of the release"
	exit 1
fi
tar -xzf "$archive" askbridge
echo "program=$folder/askbridge" >>"$GITHUB_OUTPUT"
