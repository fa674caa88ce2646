//go:build !unix

package workdir

const nonblocking = 0
