package oob

import "syscall"

// transientOnLinux holds the errors of transient that other systems do not have.
var transientOnLinux = []error{syscall.ENONET}
