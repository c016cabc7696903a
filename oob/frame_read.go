package oob

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// shownBytes is the number of bytes of a rejected message that an error shows.
const shownBytes = 32

// readFrame reads one frame. Its error is io.EOF when the stream ended between two frames,
// matches [ErrProtocol] when the bytes are not a frame, and is the stream's own otherwise.
// It calls admit before it allocates memory for the payload, and returns the error of admit.
func readFrame(r *bufio.Reader, admit func(h header, name string) error) (frame, error) {
	if err := peekStart(r); err != nil {
		return frame{}, err
	}
	h, err := readHeader(r)
	if err != nil {
		return frame{}, err
	}
	name, err := readBytes(r, h.name)
	if err != nil {
		return frame{}, err
	}
	f := frame{kind: h.kind, name: string(name)}
	if err := f.checkName(); err != nil {
		return frame{}, protocolErrorf("received a %w", err)
	}
	if err := admit(h, f.name); err != nil {
		return frame{}, err
	}
	f.payload, err = readBytes(r, int(h.payload))
	return f, err
}

// readBytes reads the number of bytes in a header, into memory that grows as they arrive: a length
// alone allocates no more than a chunk.
func readBytes(r io.Reader, size int) ([]byte, error) {
	b := make([]byte, min(size, chunkSize))
	for have := 0; ; {
		n, err := io.ReadFull(r, b[have:])
		if err != nil {
			return nil, midFrame(err)
		}
		if have += n; have == size {
			return b, nil
		}
		more := make([]byte, min(size, 2*have))
		copy(more, b)
		b = more
	}
}

// peekStart checks the magic and the version byte by byte as they arrive: a peer that is not ibperf
// may send less than a header and then wait for an answer.
func peekStart(r *bufio.Reader) error {
	for n := 1; n <= startSize; n++ {
		b, err := r.Peek(n)
		switch {
		case err != nil && n == 1:
			return err
		case err != nil:
			return midFrame(err)
		case n <= len(magic) && !strings.HasPrefix(magic, string(b)):
			return protocolErrorf("received %q; run ibperf on both sides", peekShown(r))
		case n == startSize && b[n-1] != version:
			return &versionError{b[n-1]}
		}
	}
	return nil
}

// peekShown returns the bytes of a rejected message for an error.
func peekShown(r *bufio.Reader) []byte {
	// Peek does not fail on buffered bytes.
	b, _ := r.Peek(min(r.Buffered(), shownBytes))
	return b
}

// readHeader reads the fixed part of a frame whose start was checked.
func readHeader(r *bufio.Reader) (header, error) {
	b, err := r.Peek(headerSize)
	if err != nil {
		return header{}, midFrame(err)
	}
	h, err := parseHeader([headerSize]byte(b))
	if err != nil {
		return header{}, protocolErrorf("received %q: %w", peekShown(r), err)
	}
	// Discard does not fail on bytes that Peek has returned.
	_, _ = r.Discard(headerSize)
	return h, nil
}

func parseHeader(b [headerSize]byte) (header, error) {
	if b[7] != 0 {
		return header{}, errors.New("reserved byte in use")
	}
	h := header{kind(b[5]), int(b[6]), int64(binary.BigEndian.Uint32(b[8:]))}
	return h, h.check()
}

// midFrame returns the error of a stream that ends within a frame.
func midFrame(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
