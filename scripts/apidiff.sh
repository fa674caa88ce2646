#!/bin/sh
# Says what a program that imports this module would notice since the last tag, as apidiff
# sees it. Fails where a version from 1.0 on breaks such a program; before that, where the
# part "Unreleased" of CHANGELOG.md does not tell of it: it then needs a point or a heading
# that begins with "Changed (breaking)" or "Removed".
set -eu
tools=$(cd "$(dirname "$0")/.." && pwd)/go.tool.mod

tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || {
	echo "apidiff: there is no tag to compare with"
	exit 0
}
temp=$(mktemp -d)
trap 'git worktree remove --force "$temp/old" 2>/dev/null; rm -rf "$temp"' EXIT
git worktree add --quiet --detach "$temp/old" "$tag"
apidiff=$(go tool -modfile="$tools" -n apidiff)
module=$(go list -m)
was=$(cd "$temp/old" && go list -m)
if [ "$module" != "$was" ]; then
	echo "apidiff: $module is another module than $was of $tag"
	exit 0
fi

# export_api FILE: the API of the module in this folder. What apidiff says of packages that it
# leaves out is shown only where it fails.
export_api() { "$apidiff" -m -w "$1" "$module" >"$temp/said" 2>&1 || { cat "$temp/said" >&2; exit 1; }; }
(cd "$temp/old" && export_api "$temp/old.api")
export_api "$temp/new.api"
"$apidiff" -m -incompatible "$temp/old.api" "$temp/new.api" >"$temp/changes" 2>"$temp/said" || { cat "$temp/said" >&2; exit 1; }

if [ ! -s "$temp/changes" ]; then
	echo "apidiff: nothing that was promised has changed since $tag"
	exit 0
fi
echo "apidiff: since $tag a program that imports $module may break:"
cat "$temp/changes"
case $tag in
v0.*) ;;
*)
	echo "apidiff: a version from 1.0 on breaks no program; keep what was there, or make a module of the next major version" >&2
	exit 1
	;;
esac
sed -n '/^## Unreleased/,/^## [^U]/p' CHANGELOG.md | grep -q -E '^(#+ |- \*\*)(Changed \(breaking\)|Removed)' || {
	echo 'apidiff: "Unreleased" in CHANGELOG.md has no "Changed (breaking)" or "Removed" that tells of it' >&2
	exit 1
}
