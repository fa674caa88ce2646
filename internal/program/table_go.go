package program

// What go's subcommands share: how packages are built.
const goBuild = "-a -n -p=text -race -msan -asan -cover -covermode=text -coverpkg=text -v -work -x -buildmode=text " +
	"-buildvcs=text -installsuffix=text -json -linkshared -mod=text -modcacherw -tags=text -trimpath "

// goRefused are options of go that change what is run.
var goRefused = []refused{
	{starts, "-exec -toolexec -vettool -compiler -gccgoflags -ldflags -gcflags -asmflags"},
	{loads, "-overlay -modfile -pkgdir -pgo -env -fixtool"},
	{leaves, "-C"},
	{writes, "-debug-actiongraph -debug-runtime-trace -debug-trace -http"},
}

// golang may build, test and look at the code of the working folder, behind the wall. What runs programs, or gets,
// installs or generates code, is a person's.
var golang = grammar{style: flags, operands: text, refused: goRefused, subcommands: map[string]grammar{
	"build": {style: flags, options: goBuild + "-o=path", operands: path, refused: goRefused},
	"doc":   {style: flags, options: "-all -c -cmd -short -src -u", operands: path, refused: goRefused},
	"env":   {style: flags, options: "-json -changed", operands: text, refused: []refused{{writes, "-w -u"}}},
	"fmt":   {style: flags, options: "-n -x -mod=text", operands: path, refused: goRefused},
	"list": {style: flags, options: goBuild + "-compiled -deps -e -export -f=text -find -json?text -m -retracted " +
		"-reuse=path -test -versions", operands: path,
		refused: append([]refused{{others, "-u"}}, goRefused...)},
	"mod": {style: flags, operands: text, refused: goRefused, subcommands: map[string]grammar{
		"graph":  {style: flags, options: "-go=text -x", operands: text, refused: goRefused},
		"tidy":   {style: flags, options: "-e -v -x -diff -go=text -compat=text", operands: text, refused: goRefused},
		"verify": {style: flags, operands: text, refused: goRefused},
		"why":    {style: flags, options: "-m -vendor", operands: path, refused: goRefused},
	}},
	"test": {style: flags, options: goBuild + "-bench=text -benchmem -benchtime=text -blockprofile=path " +
		"-blockprofilerate=text -c -count=text -coverprofile=path -cpu=text -cpuprofile=path -failfast -fullpath " +
		"-fuzz=text -fuzzminimizetime=text " +
		"-fuzztime=text -json -list=text -memprofile=path -memprofilerate=text -mutexprofile=path " +
		"-mutexprofilefraction=text -o=path -outputdir=path -parallel=text -run=text -short -shuffle=text -skip=text " +
		"-timeout=text -trace=path -vet=text",
		operands: path, refused: append([]refused{{asks, "-args"}}, goRefused...)},
	"version": {style: flags, options: "-m -v", operands: path, refused: goRefused},
	"vet":     {style: flags, options: goBuild + "-c=text -json", operands: path, refused: goRefused},
}}
