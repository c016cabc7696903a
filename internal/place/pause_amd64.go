package place

// PauseOnce is one PAUSE, which a loop does between two looks at memory that another CPU is about
// to write. A loop that does nothing has many loads of the line under way when the write comes,
// all of which are repeated, and it asks for the line while the writer wants it. It takes from
// 10 to 140 cycles, as the CPU has it.
func PauseOnce()
