package cli

import "sync"

// countedMessage is a kind of message of which only the first is printed, and at the end their number.
type countedMessage struct {
	console *console
	what    string // what the number counts, in the plural

	mu    sync.Mutex
	count int
}

// print counts a message and prints the first.
func (m *countedMessage) print(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count++; m.count == 1 {
		m.console.note(format, args...)
	}
}

// printTotal prints the count of several messages.
func (m *countedMessage) printTotal() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.count > 1 {
		m.console.note("%d %s", m.count, m.what)
	}
}
