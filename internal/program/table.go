package program

// grammars are the programs that are allowed by default, and what each may be given, also if the operator names it.
var grammars = map[string]grammar{
	"basename": {options: "-a --multiple -s=text --suffix=text -z --zero", operands: text},
	"cat": {options: "-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T " +
		"--show-tabs -u -v --show-nonprinting", operands: path},
	"cmp": {options: "-b --print-bytes -i=text --ignore-initial=text -l --verbose -n=text --bytes=text -s " +
		"--quiet --silent", operands: path},
	"comm": {options: "-1 -2 -3 --check-order --nocheck-order --output-delimiter=text --total -z --zero-terminated",
		operands: path},
	"cut": {options: "-b=text --bytes=text -c=text --characters=text -d=text --delimiter=text -f=text --fields=text " +
		"-n --complement -s --only-delimited --output-delimiter=text -z --zero-terminated",
		operands: path},
	"date": {options: "-d=text --date=text -I?text --iso-8601?text -R --rfc-email --rfc-3339=text -r=path " +
		"--reference=path -u --utc --universal", operands: text,
		refused: []refused{{writes, "-s --set"}, {names, "-f --file"}}},
	"diff": {options: "-q --brief -s --report-identical-files -c -C=text --context?text -u -U=text --unified?text -e " +
		"--ed -n --rcs -y --side-by-side -W=text --width=text --left-column --suppress-common-lines " +
		"-p --show-c-function -F=text --show-function-line=text --label=text -t --expand-tabs -T --initial-tab " +
		"--tabsize=text --suppress-blank-empty -r --recursive --no-dereference -N --new-file " +
		"--unidirectional-new-file --ignore-file-name-case -x=text --exclude=text -i --ignore-case -E " +
		"--ignore-tab-expansion -Z --ignore-trailing-space -b --ignore-space-change -w --ignore-all-space " +
		"-B --ignore-blank-lines -I=text --ignore-matching-lines=text -a --text --strip-trailing-cr --normal -d " +
		"--minimal --horizon-lines=text --speed-large-files --color?text",
		digits: true, operands: path,
		refused: []refused{{names, "-X --exclude-from"}, {starts, "-l --paginate"},
			{leaves, "-S --starting-file --from-file --to-file"}}},
	"dirname": {options: "-z --zero", operands: text},
	"du": {options: "-0 --null -a --all --apparent-size -B=text --block-size=text -b --bytes -c --total -d=text " +
		"--max-depth=text --exclude=text -h --human-readable --inodes -k -l --count-links -m " +
		"-P --no-dereference -S --separate-dirs --si -s --summarize -t=text --threshold=text --time?text " +
		"--time-style=text -x --one-file-system", operands: path,
		refused: []refused{{leaves, "-D -H -L --dereference --dereference-args"},
			{names, "-X --exclude-from --files0-from"}}},
	"echo":   {style: free},
	"expand": {options: "-i --initial -t=text --tabs=text", operands: path},
	"false":  {style: free},
	"file": {options: "-b --brief -c --checking-printout -e=text --exclude=text -F=text --separator=text -h " +
		"--no-dereference -i --mime --mime-type --mime-encoding --extension -k --keep-going -N --no-pad " +
		"-n --no-buffer -r --raw -v --version -0 --print0", operands: path,
		refused: []refused{{starts, "-z --uncompress -Z --uncompress-noreport -S --no-sandbox"},
			{names, "-f --files-from"}, {loads, "-m --magic-file"}, {writes, "-C --compile"},
			{leaves, "-L --dereference -s --special-files"}}},
	"find": {style: words, operands: path,
		options: "( ) ! , -a -and -o -or -not -P -amin=text -anewer=path -atime=text -cmin=text -cnewer=path " +
			"-ctime=text -daystart -depth -empty -executable -false -fstype=text -gid=text -group=text -ilname=text " +
			"-iname=text -inum=text -ipath=text -iregex=text -iwholename=text -links=text -lname=text -ls " +
			"-maxdepth=text -mindepth=text -mmin=text -mount -mtime=text -name=text -newer=path -newermt=text " +
			"-nogroup -noleaf " +
			"-nouser -nowarn -path=text -perm=text -print -print0 -printf=text -prune -quit -readable -regex=text " +
			"-regextype=text -samefile=path -size=text -true -type=text -uid=text -used=text -user=text " +
			"-warn -wholename=text -writable -xdev -xtype=text",
		refused: []refused{{starts, "-exec -execdir -ok -okdir"}, {"it deletes files", "-delete"},
			{writes, "-fprint -fprint0 -fprintf -fls"}, {names, "-files0-from"}, {leaves, "-L -H -follow"}}},
	"fold": {options: "-b --bytes -s --spaces -w=text --width=text", operands: path},
	"gofmt": {style: flags, options: "-d -e -l -r=text -s -w", operands: path,
		refused: []refused{{writes, "-cpuprofile"}}},
	"grep": {options: "-A=text --after-context=text -a --text -B=text --before-context=text -b --byte-offset " +
		"--binary-files=text -C=text --context=text -c --count --color?text --colour?text -D=text --devices=text " +
		"-d=text --directories=text -E --extended-regexp -e=text --regexp=text --exclude=text --exclude-dir=text -F " +
		"--fixed-strings -f=path --file=path -G --basic-regexp -H --with-filename -h --no-filename " +
		"-I --include=text -i --ignore-case --no-ignore-case -L --files-without-match -l --files-with-matches " +
		"--label=text --line-buffered -m=text --max-count=text -n --line-number -o --only-matching -P --perl-regexp " +
		"-q --quiet --silent -r --recursive -s --no-messages -T --initial-tab -U --binary -v --invert-match -w " +
		"--word-regexp -x --line-regexp -y -Z --null -z --null-data",
		digits: true, operands: path, first: text, unless: "-e --regexp -f --file",
		refused: []refused{{leaves, "-R --dereference-recursive"}, {names, "--exclude-from"}}},
	"head": {options: "-c=text --bytes=text -n=text --lines=text -q --quiet --silent -v --verbose -z " +
		"--zero-terminated", digits: true, operands: path},
	"hexdump": {options: "-b -c -C -d -e=text -n=text -o -s=text -v -x", operands: path,
		refused: []refused{{loads, "-f"}}},
	"join": {options: "-1=text -2=text -a=text -e=text -i --ignore-case -j=text -o=text -t=text -v=text " +
		"--check-order " +
		"--nocheck-order --header -z --zero-terminated",
		operands: path},
	"jq": {options: "-a --ascii-output --arg=text=text --argjson=text=text -c --compact-output -C --color-output -e " +
		"--exit-status --indent=text -j --join-output -M --monochrome-output -n --null-input -r --raw-output " +
		"-R --raw-input -S --sort-keys -s --slurp --seq --stream --stream-errors --tab -V --version", operands: path,
		first: filter,
		refused: []refused{{loads, "-L --library-path -f --from-file"},
			{names, "--rawfile --slurpfile --argfile --args --jsonargs"}, {asks, "--debug-trace --unbuffered"}}},
	"ls": {options: "-1 -A --almost-all -a --all -B --ignore-backups -b --escape --block-size=text -C " +
		"--color?text -c " +
		"-d --directory -F --classify?text --file-type --format=text --full-time -G --no-group -g " +
		"--group-directories-first -h --human-readable --hide=text -I=text --ignore=text --indicator-style=text -i " +
		"--inode -k --kibibytes -l -m -N --literal -n --numeric-uid-gid -o -p -Q --quote-name --quoting-style=text " +
		"-q --hide-control-chars --show-control-chars -R --recursive -r --reverse -S --si -s --size --sort=text " +
		"-T=text --tabsize=text -t --time=text --time-style=text -U -u -v -w=text --width=text -X -x -Z " +
		"--context --zero",
		operands: path, refused: []refused{{leaves, "-L --dereference -H --dereference-command-line " +
			"--dereference-command-line-symlink-to-dir"}}},
	"md5sum": checksums,
	"nl": {options: "-b=text --body-numbering=text -d=text --section-delimiter=text -f=text --footer-numbering=text " +
		"-h=text --header-numbering=text -i=text --line-increment=text -l=text --join-blank-lines=text " +
		"-n=text --number-format=text -p --no-renumber -s=text --number-separator=text -v=text " +
		"--starting-line-number=text -w=text --number-width=text", operands: path},
	"od": {options: "-A=text --address-radix=text -a -b -c -d -f -i -j=text --skip-bytes=text -l -N=text " +
		"--read-bytes=text -o -S=text --strings=text -s -t=text --format=text -v --output-duplicates -w?text " +
		"--width?text -x",
		operands: path, refused: []refused{{names, "--traditional"}}},
	"paste": {options: "-d=text --delimiters=text -s --serial -z --zero-terminated", operands: path},
	"pwd":   {options: "-L --logical -P --physical", operands: text},
	"readlink": {options: "-e --canonicalize-existing -f --canonicalize -m --canonicalize-missing -n --no-newline -q " +
		"--quiet -s --silent -v --verbose -z --zero", operands: path},
	"realpath": {options: "-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical " +
		"-q --quiet " +
		"--relative-to=path --relative-base=path -s --strip --no-symlinks -z --zero", operands: path},
	"rev": {options: "", operands: path},
	"rg": {options: "-A=text --after-context=text -B=text --before-context=text -b --byte-offset -C=text " +
		"--context=text --color=text --column -c --count --count-matches -e=text --regexp=text -F --fixed-strings " +
		"-f=path --file=path --files -l --files-with-matches --files-without-match -g=text --glob=text --iglob=text " +
		"--glob-case-insensitive --heading --no-heading --hidden -. -i --ignore-case -s --case-sensitive -v " +
		"--invert-match " +
		"--json -n --line-number -N --no-line-number -x --line-regexp -M=text --max-columns=text -m=text " +
		"--max-count=text --max-depth=text -d=text --max-filesize=text -U --multiline --multiline-dotall --no-config " +
		"--no-filename -I --no-ignore --no-ignore-vcs --no-messages -0 --null -o --only-matching -P --pcre2 -p " +
		"--pretty -q --quiet -r=text --replace=text -S --smart-case --sort=text --sortr=text --stats -a --text " +
		"-j=text --threads=text --trim -t=text --type=text -T=text --type-not=text --type-list -u --unrestricted " +
		"--vimgrep -H --with-filename -w --word-regexp",
		operands: path, first: text, unless: "-e --regexp -f --file --files --type-list",
		refused: []refused{{starts, "--pre --pre-glob --hostname-bin -z --search-zip"},
			{loads, "--ignore-file --type-add"}, {leaves, "-L --follow"}}},
	"sed": {options: "-E -r --regexp-extended -e=sed --expression=sed -i?suffix --in-place?suffix -l=text " +
		"--line-length=text -n --quiet --silent --posix -s --separate --sandbox -u --unbuffered -z --null-data " +
		"--zero-terminated",
		operands: path, first: script, unless: "-e --expression",
		refused: []refused{{loads, "-f --file"}, {leaves, "--follow-symlinks"}, {starts, "--debug"}}},
	"seq": {options: "-f=text --format=text -s=text --separator=text -w --equal-width", digits: true,
		operands: text},
	"sha1sum":   checksums,
	"sha256sum": checksums,
	"sha512sum": checksums,
	"sort": {options: "-b --ignore-leading-blanks -c --check?text -C -d --dictionary-order -f --ignore-case -g " +
		"--general-numeric-sort -h --human-numeric-sort -i --ignore-nonprinting -k=text --key=text -M --month-sort " +
		"-m --merge -n --numeric-sort --parallel=text -R --random-sort --random-source=path -r --reverse -S=text " +
		"--buffer-size=text -s --stable --sort=text -t=text --field-separator=text -u --unique -V --version-sort " +
		"-z --zero-terminated", operands: path,
		refused: []refused{{starts, "--compress-program"}, {writes, "-o --output -T --temporary-directory"},
			{names, "--files0-from"}}},
	"stat": {options: "-c=text --format=text -f --file-system --printf=text -t --terse", operands: path,
		refused: []refused{{leaves, "-L --dereference"}}},
	"tac": {options: "-b --before -r --regex -s=text --separator=text", operands: path},
	"tail": {options: "-c=text --bytes=text -n=text --lines=text -q --quiet --silent -v --verbose -z --zero-terminated",
		digits: true, operands: path,
		refused: []refused{{asks, "-f -F --follow --retry --pid -s --sleep-interval --max-unchanged-stats"}}},
	"tar": {options: "-c --create -t --list -x --extract --get -r --append -u --update -d --diff --compare " +
		"-f=archive " +
		"--file=archive -z --gzip --gunzip -j --bzip2 -J --xz --zstd -v --verbose -O --to-stdout " +
		"-k --keep-old-files --keep-newer-files --skip-old-files --overwrite -p --preserve-permissions " +
		"--no-same-owner --no-same-permissions -m --touch --exclude=text --exclude-vcs --strip-components=text " +
		"--wildcards --no-wildcards --anchored --no-anchored --ignore-case --no-recursion --sort=text --owner=text " +
		"--group=text --mode=text --numeric-owner --totals -n --seek --occurrence?text " +
		"--full-time --utc --show-omitted-dirs --format=text -H=text", dashed: true, operands: path,
		refused: []refused{{starts, "--to-command --checkpoint-action --checkpoint -I --use-compress-program -F " +
			"--info-script --new-volume-script --rsh-command --rmt-command -a --auto-compress"},
			{leaves, "-C --directory -h --dereference -P --absolute-names --one-top-level --transform --xform -K " +
				"--starting-file --unlink-first -U --recursive-unlink --overwrite-dir --keep-directory-symlink"},
			{names, "-T --files-from -X --exclude-from --exclude-tag --exclude-ignore --exclude-ignore-recursive " +
				"--add-file"}, {writes, "-g --listed-incremental --index-file --volno-file --backup --suffix " +
				"--remove-files --delete"},
			{guards, "--force-local --absolute-names --no-check-device"}}},
	"tr": {options: "-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1", operands: text},
	"tree": {options: "-a -C -d -D -f -F -h -i -I=text -J -L=text -n -N -p -P=text -q -Q -r -s -S -t -u -U -v -x " +
		"--dirsfirst --noreport --prune --sort=text --si --du --inodes --nolinks", operands: path,
		refused: []refused{{writes, "-o"}, {leaves, "-l"}, {names, "--fromfile --gitfile --infofile"}}},
	"true":     {style: free},
	"unexpand": {options: "-a --all --first-only -t=text --tabs=text", operands: path},
	"uniq": {options: "-c --count -D --all-repeated?text -d --repeated -f=text --skip-fields=text --group?text -i " +
		"--ignore-case -s=text --skip-chars=text -u --unique -w=text --check-chars=text -z --zero-terminated",
		operands: path},
	"wc": {options: "-c --bytes -l --lines -L --max-line-length -m --chars -w --words --total=text", operands: path,
		refused: []refused{{names, "--files0-from"}}},
	"xxd": {style: flags, options: "-a -autoskip -b -bits -c=text -cols=text -C -e -g=text -i -l=text -len=text " +
		"-n=text -o=text -p -ps -plain -r -s=text -seek=text -u", operands: path},
	"git": git,
	"go":  golang,
}

// checksums is of md5sum and its like.
var checksums = grammar{options: "-b --binary --tag -t --text -z --zero", operands: path,
	refused: []refused{{names, "-c --check --ignore-missing --quiet --status --strict -w --warn"}}}
