//go:build !slow

package loop

// slow does nothing, and no code is made of it. With the build tag slow it makes each post of a ping-pong take longer, which
// ib_compare --against has to find.
func (o *sender) slow() {}
