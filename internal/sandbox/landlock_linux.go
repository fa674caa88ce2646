package sandbox

import (
	"fmt"

	llsyscall "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// Rights below a path, as Landlock names them.
const (
	rightsToRead  = llsyscall.AccessFSExecute | llsyscall.AccessFSReadFile | llsyscall.AccessFSReadDir
	rightsToUse   = llsyscall.AccessFSReadFile | llsyscall.AccessFSWriteFile
	rightsOfFiles = rightsToUse | llsyscall.AccessFSExecute | llsyscall.AccessFSTruncate | llsyscall.AccessFSIoctlDev
	rightsToWrite = rightsToRead | llsyscall.AccessFSWriteFile | llsyscall.AccessFSRemoveDir |
		llsyscall.AccessFSRemoveFile | llsyscall.AccessFSMakeDir |
		llsyscall.AccessFSMakeReg | llsyscall.AccessFSMakeSym | llsyscall.AccessFSMakeFifo |
		llsyscall.AccessFSMakeSock | llsyscall.AccessFSRefer | llsyscall.AccessFSTruncate
)

// systemFolders hold programs and libraries; systemFiles are what libraries ask for. No
// other part of /etc, no home, no /proc of any process, no /run with its sockets.
var (
	systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
		"/etc/ssl", "/etc/ca-certificates", "/etc/pki/tls", "/etc/alternatives", "/etc/fonts",
		"/sys/devices/system/cpu"}
	systemFiles = []string{"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf",
		"/etc/resolv.conf", "/etc/services", "/etc/protocols", "/etc/localtime", "/etc/timezone",
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/mime.types", "/etc/magic", "/etc/locale.alias", "/proc/cpuinfo",
		"/proc/meminfo", "/proc/filesystems"}
	systemDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
)

// landlockHere gives up, on this thread, all files but those of the order, and signals to
// processes outside. It says how much of that the kernel knows.
func landlockHere(o order) (string, error) {
	abi, err := llsyscall.LandlockGetABIVersion()
	if err != nil {
		return "", err
	}
	attributes := llsyscall.RulesetAttr{HandledAccessFS: handled(abi)}
	if abi >= 6 {
		attributes.Scoped = llsyscall.ScopeSignal | llsyscall.ScopeAbstractUnixSocket
	}
	rules, err := llsyscall.LandlockCreateRuleset(&attributes, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(rules)
	for _, part := range []struct {
		paths  []string
		rights uint64
	}{{systemFolders, rightsToRead}, {systemFiles, llsyscall.AccessFSReadFile}, {systemDevices, rightsToUse},
		{words(o.ReadOnly), rightsToRead}, {words(o.ReadWrite), rightsToWrite},
		{[]string{string(o.Path)}, rightsToRead}} {
		for _, path := range part.paths {
			if err := permit(rules, path, part.rights&attributes.HandledAccessFS); err != nil {
				return "", fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return fmt.Sprintf("%s %d", layerLandlock, abi), llsyscall.LandlockRestrictSelf(rules, 0)
}

// handled are the rights over files that a version of Landlock knows.
func handled(abi int) uint64 {
	rights := uint64(llsyscall.AccessFSRefer - 1)
	for since, right := range map[int]uint64{2: llsyscall.AccessFSRefer, 3: llsyscall.AccessFSTruncate,
		5: llsyscall.AccessFSIoctlDev, 9: llsyscall.AccessFSResolveUnix} {
		if abi >= since {
			rights |= right
		}
	}
	return rights
}

// permit lets through what is below a path; what is not there needs no leave.
func permit(rules int, path string, rights uint64) error {
	file, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(file)
	var info unix.Stat_t
	if err := unix.Fstat(file, &info); err != nil {
		return err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= rightsOfFiles
	}
	return llsyscall.LandlockAddPathBeneathRule(rules, &llsyscall.PathBeneathAttr{
		AllowedAccess: rights, ParentFd: file}, 0)
}
