//go:build trials

package packaging

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// completed are command lines, and the words that a shell must offer or insert.
var completed = map[string]string{
	"ibperf confo":                      "conform",
	"ibperf write_lat --bind":           "--bind_source_ip",
	"ibperf send_bw --connection X":     "XRC",
	"ibperf compare --bund":             "--bundle",
	"ibperf report --report_gb":         "--report_gbits",
	"ibperf write_lat --completion ada": "adaptive",
}

// shell runs a script with the completion of a shell in $1 and ibperf in its path, and returns the output.
func shell(t *testing.T, dir, script string, words ...string) string {
	t.Helper()
	name := words[0]
	needs(t, name)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // zsh waits for words that do not appear
	defer cancel()
	cmd := exec.CommandContext(ctx, name, append(append(words[1:], "-c", script), "complete")...)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "SHARE="+filepath.Join(dir, "share"), "HOME="+t.TempDir(), "TERM=dumb")
	return output(t, cmd)
}

func TestTrialCompletionInBash(t *testing.T) {
	dir := unpacked(t, runtime.GOARCH)
	for line, want := range completed {
		script := `source "$SHARE/bash-completion/completions/ibperf"
			complete -p ibperf
			COMP_WORDS=(` + line + `) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ibperf; printf '<%s>' "${COMPREPLY[@]}"`
		if text := shell(t, dir, script, "bash", "--norc"); !strings.HasSuffix(text, "\n<"+want+">") {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
}

func TestTrialCompletionInFish(t *testing.T) {
	dir := unpacked(t, runtime.GOARCH)
	for line, want := range completed {
		script := `source "$SHARE/fish/vendor_completions.d/ibperf.fish"; complete -C "` + line + `"`
		if text := shell(t, dir, script, "fish", "--no-config"); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
}

// TestTrialCompletionInZsh types each line and a tab in a terminal.
func TestTrialCompletionInZsh(t *testing.T) {
	dir := unpacked(t, runtime.GOARCH)
	for line, want := range completed {
		script := `zmodload zsh/zpty
			zpty shell zsh -f -i
			zpty -w shell 'PS1=; fpath=("$SHARE/zsh/vendor-completions" $fpath); autoload -U compinit; compinit -u -D; print READY'
			zpty -r -m shell text '*READY*READY*'
			zpty -w -n shell "` + line + `"$'\t'
			zpty -r -m shell text '*` + want + `*' && print -r -- "$text"
			zpty -d shell`
		if text := shell(t, dir, script, "zsh", "-f"); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", line, text, want)
		}
	}
}
