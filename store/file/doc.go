// Package file remembers requests in one file of this machine: the default of a
// bridge that runs alone. It is built on bbolt.
//
// What a call has returned is on the disk: a swap happens or it does not, and there
// is no half of one. A file that was cut short is refused rather than read in part.
//
// The index of tenants came after the others. A version of this program that does
// not know it may have run after this one. The number of the last transaction
// tells, and the index is made anew from the records when the file is opened.
package file
