package oob

import "syscall"

// passingOfLinux are those of passing that other systems do not have.
var passingOfLinux = []error{syscall.ENONET}
