package harness

// What latency loops do while a message is on its way, so that it costs no
// awaited time: poll completions that nobody waits for, and post receives again.

// reapSends returns a step that polls the send queue's completions once a
// signaled request is out. It waits for them only where the next message would
// overwrite one that may not have left.
func (l *lane) reapSends(m *measurement) func() error {
	return func() error {
		for l.marked > l.done {
			wc, err := m.send.poll()
			if err != nil {
				return err
			}
			l.sendsDone(wc)
			if l.sent-l.complete() < uint64(l.slots) {
				return nil
			}
			if m.halt.on() {
				return errOver
			}
		}
		return nil
	}
}

// repost posts receives again: a few at a time in bandwidth tests, which costs less,
// and each at once in latency tests, where none of the samples should pay for others.
func (l *lane) repost() error {
	if l.freeRecvs < l.batch {
		return nil
	}
	n := l.freeRecvs
	l.freeRecvs = 0
	return l.postRecvs(n)
}

// reapRecvs returns a step that polls receive completions of messages that were
// seen in memory before. It waits for them only where no receive would be left.
func (l *lane) reapRecvs(m *measurement) func() error {
	return func() error {
		for l.unreaped() >= int64(l.every) {
			wc, err := m.recv.poll()
			if err != nil {
				return err
			}
			l.received(len(wc))
			if l.unreaped()+int64(l.freeRecvs) < int64(l.slots-1) {
				break
			}
			if m.halt.on() {
				return errOver
			}
		}
		return l.repost()
	}
}

// unreaped returns how many messages were seen whose receive completion was not
// polled. It is negative when completions are ahead of the looks at memory.
func (l *lane) unreaped() int64 { return int64(l.arrived - l.reaped) }
