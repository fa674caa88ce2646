//go:build !unix

package library

// nonBlocking is not needed where named pipes are no files of a folder.
const nonBlocking = 0
