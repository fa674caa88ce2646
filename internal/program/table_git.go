package program

// What git's subcommands share: how commits are chosen and shown, and how differences are.
const (
	gitDiffs = "-p -u --patch -s --no-patch -U=text --unified=text --raw --patch-with-raw --minimal --patience " +
		"--histogram --diff-algorithm=text --stat?text --compact-summary --numstat --shortstat --dirstat?text " +
		"--summary " +
		"--patch-with-stat -z --name-only --name-status --color?text --no-color --word-diff?text " +
		"--word-diff-regex=text --color-words?text --no-renames --check --full-index --binary --abbrev?text -B?text " +
		"-M?text --find-renames?text -C?text --find-copies-harder -D --irreversible-delete -l=text " +
		"--diff-filter=text " +
		"-S=text -G=text --pickaxe-all --pickaxe-regex -R --relative?path --no-relative -a --text " +
		"-b --ignore-space-change -w --ignore-all-space --ignore-blank-lines --ignore-space-at-eol -I=text " +
		"--inter-hunk-context=text -W --function-context --exit-code --quiet --no-ext-diff --no-textconv " +
		"--src-prefix=text --dst-prefix=text --no-prefix "
	gitCommits = "--oneline --format=text --pretty?text --abbrev-commit --no-abbrev-commit --graph --decorate?text " +
		"--no-decorate -n=text --max-count=text --skip=text --since=text --after=text --until=text --before=text " +
		"--author=text " +
		"--committer=text --grep=text --all-match --invert-grep -i --regexp-ignore-case -E --extended-regexp -F " +
		"--fixed-strings -P --perl-regexp --merges --no-merges --first-parent --all --branches?text --tags?text " +
		"--remotes?text --glob=text --exclude=text --reverse --date=text --topo-order --date-order " +
		"--author-date-order --left-right --cherry --cherry-pick --cherry-mark --boundary --follow --full-history " +
		"--dense --sparse " +
		"--simplify-merges --ancestry-path --no-walk?text --parents --children --count --timestamp --relative-date " +
		"--source -m -c --cc --name-only --name-status "
	gitOutside = "-c --config-env --exec-path --git-dir --work-tree --namespace --super-prefix -p --paginate " +
		"--attr-source"
)

var (
	gitRunsDiffs = refused{starts, "--submodule --ignore-submodules --ext-diff --textconv --filters --show-signature " +
		"-O --open-files-in-pager --interactive --edit --edit-description --gpg-sign --sign --upload-pack " +
		"--receive-pack --exec --recurse-submodules --local-user"}
	gitReads = refused{names, "--no-index --pathspec-from-file --exclude-from --exclude-per-directory --contents " +
		"--ignore-revs-file --stdin --orderfile"}
	gitWrites  = refused{writes, "--output --output-directory --output-indicator-new"}
	gitRefused = []refused{gitRunsDiffs, gitReads, gitWrites,
		{loads, "--template --separate-git-dir --shared --reference"}}
)

// git may read a repository, and write inside the working folder: add, commit, init, mv, rm, restore, switch, branch
// and tag. What merges, fetches, sends or rewrites is a person's.
var git = grammar{
	options: "--no-pager --version --no-optional-locks --literal-pathspecs --no-replace-objects --bare", operands: text,
	refused: []refused{{loads, gitOutside}, {leaves, "-C"}},
	subcommands: map[string]grammar{
		"add": {options: "-A --all -f --force -n --dry-run -N --intent-to-add -u --update -v --verbose " +
			"--ignore-errors --ignore-removal --renormalize --chmod=text", operands: path,
			refused: []refused{{asks, "-i --interactive -p --patch -e --edit"}, {names, "--pathspec-from-file"}}},
		"blame": {options: "-b -c -C?text -e --show-email -f --show-name -l -L=text -M?text -n --show-number -p " +
			"--porcelain --line-porcelain --incremental --root -s -t -w --date=text --since=text --abbrev=text " +
			"--reverse --first-parent",
			operands: rev, refused: []refused{{names, "-S --contents --ignore-revs-file"}}},
		"branch": {options: "-a --all -r --remotes -l --list -v --verbose --show-current --contains=rev " +
			"--no-contains=rev --merged?rev --no-merged?rev --points-at=rev --sort=text --format=text --column?text " +
			"--no-column -i --ignore-case -d --delete -m --move -c --copy --no-track -q --quiet",
			operands: rev, refused: gitRefused},
		"cat-file": {options: "-t -s -e -p --batch-check --batch --allow-unknown-type", operands: rev,
			refused: gitRefused},
		"check-ignore": {options: "-q --quiet -v --verbose -z -n --non-matching --no-index", operands: path,
			refused: []refused{{names, "--stdin"}}},
		"commit": {options: "-a --all -m=text --message=text -F=path --file=path --amend --no-edit --allow-empty " +
			"--allow-empty-message --author=text --date=text --dry-run -n --no-verify -o --only -i --include -q " +
			"--quiet -s --signoff --short --porcelain " +
			"--long -v --verbose -z --no-gpg-sign --no-post-rewrite --reset-author --status --no-status --fixup=text " +
			"--trailer=text -u?text --untracked-files?text", operands: path,
			refused: []refused{{starts, "-e --edit -S --gpg-sign -p --patch --interactive"}, {loads, "-t --template"},
				{names, "--pathspec-from-file"}}},
		"count-objects": {options: "-v --verbose -H --human-readable", operands: text},
		"describe": {options: "--all --tags --contains --abbrev=text --candidates=text --exact-match --debug " +
			"--long --match=text --exclude=text --always --first-parent --dirty?text --broken?text", operands: rev},
		"diff": {options: gitDiffs + "--cached --staged --merge-base -1 -2 -3 -0 --base --ours --theirs",
			digits: true, operands: rev, refused: gitRefused},
		"for-each-ref": {options: "--count=text --sort=text --format=text --color?text --points-at=rev --merged?rev " +
			"--no-merged?rev --contains?rev --no-contains?rev --ignore-case --omit-empty --exclude=text", operands: rev,
			refused: []refused{{names, "--stdin"}, {"it quotes for a shell", "-s --shell -p --perl --python --tcl"}}},
		"grep": {options: "-A=text -B=text -C=text --after-context=text --before-context=text --context=text -a " +
			"--text -i --ignore-case -I -h -H -l --files-with-matches --name-only -L --files-without-match -n " +
			"--line-number --column -o --only-matching -c --count -w --word-regexp " +
			"-v --invert-match -E --extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -e=text " +
			"--and --or --not --all-match -q --quiet --cached --untracked --no-exclude-standard --exclude-standard " +
			"--max-depth=text -r --recursive --no-recursive " +
			"-p --show-function -W --function-context --break --heading --color?text --no-color -z --null -m=text " +
			"--max-count=text --threads=text --no-textconv", digits: true, operands: rev, first: text, unless: "-e",
			refused: []refused{{starts, "-O --open-files-in-pager --textconv"}, {names, "-f --no-index"},
				{leaves, "--recurse-submodules"}}},
		"init": {options: "-q --quiet --bare -b=text --initial-branch=text --object-format=text", operands: path,
			refused: []refused{{loads, "--template --separate-git-dir --shared"}}},
		"log": {options: gitCommits + gitDiffs, digits: true, operands: rev, refused: gitRefused},
		"ls-files": {options: "-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -u " +
			"--unmerged -k --killed -t -v -z -x=text --exclude=text --exclude-standard --directory " +
			"--no-empty-directory --eol --error-unmatch --full-name --abbrev?text --deduplicate --format=text",
			operands: path, refused: gitRefused},
		"ls-tree": {options: "-d -r -t -l --long -z --name-only --name-status --object-only --full-name " +
			"--full-tree --abbrev?text --format=text", operands: rev},
		"merge-base": {options: "-a --all --octopus --independent --is-ancestor --fork-point", operands: rev},
		"mv":         {options: "-f --force -k -n --dry-run -v --verbose", operands: path},
		"reflog":     {options: gitCommits, digits: true, operands: rev, refused: gitRefused},
		"restore": {options: "-s=rev --source=rev -S --staged -W --worktree -q --quiet --ours --theirs " +
			"--ignore-unmerged --overlay --no-overlay", operands: path,
			refused: []refused{{asks, "-p --patch"}, {starts, "-m --merge --conflict --recurse-submodules"},
				{names, "--pathspec-from-file"}}},
		"rev-list": {options: gitCommits + "--objects --disk-usage --header --no-commit-header", digits: true,
			operands: rev, refused: gitRefused},
		"rev-parse": {options: "--verify -q --quiet --short?text --abbrev-ref?text --symbolic --symbolic-full-name " +
			"--all --branches?text --tags?text --remotes?text --show-toplevel --show-prefix --show-cdup --git-dir " +
			"--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository " +
			"--show-object-format --sq-quote", operands: rev},
		"rm": {options: "--cached -f --force -n --dry-run -q --quiet -r --ignore-unmatch", operands: path,
			refused: []refused{{names, "--pathspec-from-file"}}},
		"shortlog": {options: gitCommits + "-s --summary -e --email -w?text --group=text", digits: true, operands: rev,
			refused: gitRefused},
		"show": {options: gitCommits + gitDiffs, digits: true, operands: rev, refused: gitRefused},
		"show-ref": {options: "--head --heads --branches --tags -d --dereference -s --hash?text --verify " +
			"--abbrev?text -q --quiet --exists", operands: rev},
		"status": {options: "-s --short -b --branch --show-stash --porcelain?text --long -v --verbose -u?text " +
			"--untracked-files?text --ignored?text -z --column?text --no-column --ahead-behind --no-ahead-behind " +
			"--renames --no-renames --find-renames?text", operands: path, refused: gitRefused},
		"switch": {options: "-c=text --create=text -C=text --force-create=text -d --detach -f --force " +
			"--discard-changes --orphan=text -q --quiet --no-progress --no-track --no-guess", operands: rev,
			refused: []refused{{starts, "-m --merge --conflict --recurse-submodules"}}},
		"tag": {options: "-a --annotate -m=text --message=text -F=path --file=path -d --delete -f --force -l --list " +
			"-n?text --contains?rev --no-contains?rev --merged?rev --no-merged?rev --points-at=rev --sort=text " +
			"--format=text --column?text --no-column -i --ignore-case --no-sign", operands: rev,
			refused: []refused{{starts, "-s --sign -u --local-user -v --verify -e --edit"}}},
	},
}
