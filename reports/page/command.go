package page

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ibperf/ibperf/internal/printable"
	"github.com/ibperf/ibperf/option"
	"github.com/ibperf/ibperf/result"
)

// A Command is the words of the command lines of both sides that repeat a run.
type Command struct {
	What           string // the run, if there are others
	Server, Client []string
}

// commandOf returns the commands that repeat a run with the program of its test. The run may be a part
// of a comparison by ib_compare.
func commandOf(f *result.File) Command {
	client, server := f.Local, f.Peer
	if f.Role == "server" {
		client, server = server, client
	}
	to := server.Host
	if to == client.Host || to == "" {
		to = "localhost"
	}
	asked := f.Parameters.Asked()
	asked.Duration = asked.Duration.Round(time.Microsecond) // it may be the sum of the times of several runs
	words := append(deviceOptions(&client), asked.Arguments()...)
	return Command{
		Server: shellWords(append([]string{f.Program}, deviceOptions(&server)...)),
		Client: shellWords(append(append([]string{f.Program}, words...), to)),
	}
}

// deviceOptions returns the options that choose the devices of a side.
func deviceOptions(s *result.Side) (words []string) {
	d := &s.Device
	if d.Name != "" {
		words = append(words, "--"+option.Find("ib-dev").Name, s.DeviceNames())
	}
	if d.Port > 1 && !s.Several() {
		words = append(words, "--"+option.Find("ib-port").Name, strconv.Itoa(d.Port))
	}
	return words
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,%+@-]+$`)

// shellWords returns words as a shell reads them, in which it expands nothing.
func shellWords(words []string) []string {
	for i, w := range words {
		if w = printable.Clean(w); !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return words
}
