//go:build !amd64 || race

package store

import "sync/atomic"

// Publish stores w0 and then w1 to rec. A reader on another core that loads
// the new rec[1] also sees the new rec[0] and everything this goroutine stored
// before the call. The race detector cannot instrument assembly, so under -race
// this version runs on amd64 too.
func Publish(rec *[2]uint64, w0, w1 uint64) {
	atomic.StoreUint64(&rec[0], w0)
	atomic.StoreUint64(&rec[1], w1)
}

// Release32 stores v to *p after everything this goroutine stored before the
// call.
func Release32(p *uint32, v uint32) {
	atomic.StoreUint32(p, v)
}

// Release64 is Release32 for 8 bytes.
func Release64(p *uint64, v uint64) {
	atomic.StoreUint64(p, v)
}
