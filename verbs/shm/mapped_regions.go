package shm

import (
	"sync/atomic"

	"github.com/ibperf/ibperf/verbs/shm/internal/lockorder"
)

// Which memory of its peers a context has mapped, for those that deregister memory: they wait only for requesters that may use
// it. The directory has a bit for each memfd, by its inode; several may share one. A requester sets the bit and then reads the
// key of the region again, while the owner clears the key and then reads the bit. So a requester either finds no region, or the
// owner waits for it.

const mappedBits = 4096

// mappedRegions counts the mapped memfds of each bit.
type mappedRegions struct {
	lockorder.Mutex[lockorder.MappedRegions]
	counts [mappedBits]uint32
}

// noteMapped adds n to the number of mapped memfds with the bit of the inode. It is called before memory is mapped and after it
// was unmapped.
func (c *context) noteMapped(inode uint64, n int) {
	c.mappedRegions.Lock()
	defer c.mappedRegions.Unlock()
	bit := inode % mappedBits
	c.mappedRegions.counts[bit] += uint32(n)
	word, mask := &c.dir.mapped[bit/64], uint64(1)<<(bit%64)
	if c.mappedRegions.counts[bit] > 0 {
		atomic.OrUint64(word, mask)
	} else {
		atomic.AndUint64(word, ^mask)
	}
}

// mayMap reports whether the peer may have mapped the memory with the inode.
func (r *peerContext) mayMap(inode uint64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	bit := inode % mappedBits
	return r.dir != nil && atomic.LoadUint64(&r.dir.mapped[bit/64])&(1<<(bit%64)) != 0
}
