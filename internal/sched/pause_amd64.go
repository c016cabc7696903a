package sched

// Pause executes one PAUSE instruction, for a loop that polls memory that another CPU writes. Without it
// the loop has many speculative loads of the line in flight when the write arrives; the CPU must replay
// all of them, and they compete with the writer for the line. PAUSE takes 10 to 140 cycles, depending on the CPU.
func Pause()
