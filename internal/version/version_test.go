package version

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ibperf/ibperf/internal/emulation"
)

func TestBuildsAreNamed(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	const pseudo = "v0.0.0-20260102150405-0123456789ab"
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want Build
		word string
	}{
		{"installed", &debug.BuildInfo{Main: debug.Module{Version: "v0.2.0"}}, Build{Version: "v0.2.0"}, "v0.2.0"},
		{"a checkout", &debug.BuildInfo{Main: debug.Module{Version: pseudo}, Settings: vcs("false")}, Build{pseudo, revision, false}, pseudo},
		{"a modified one", &debug.BuildInfo{Main: debug.Module{Version: pseudo + "+dirty"}, Settings: vcs("true")}, Build{pseudo + "+dirty", revision, true}, pseudo + "+dirty"},
		{"no pseudo-version", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("false")}, Build{"(devel)", revision, false}, "(devel)-0123456789ab"},
		{"nor unmodified", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: vcs("true")}, Build{"(devel)", revision, true}, "(devel)-0123456789ab+dirty"},
		{"a test", &debug.BuildInfo{}, Build{Version: "(devel)"}, "(devel)"},
		{"another toolchain", nil, Build{Version: "(devel)"}, "(devel)"},
	} {
		if got := of(c.info); got != c.want || got.String() != c.word {
			t.Errorf("%s: %+v %q, want %+v %q", c.name, got, got, c.want, c.word)
		}
	}
}

// A program that is built in a repository names its revision, and whether files were modified.
func TestCheckoutIsNamed(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	emulation.SkipFork(t)
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	source, err := os.ReadFile("version.go")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	build := func() string {
		t.Helper()
		run("go", "build", "-buildvcs=true", "-o", "../program", ".")
		return run(filepath.Join(filepath.Dir(dir), "program"))
	}
	write("go.mod", "module example.com/program\n\ngo 1.26.0\n")
	write("version/version.go", string(source))
	write("main.go", "package main\n\nimport \"example.com/program/version\"\n\nfunc main() { print(version.Line(\"ib_write_bw\"), version.Current().Revision) }\n")
	run("git", "init", "-q")
	run("git", "add", "-A")
	run("git", "commit", "-q", "-m", "first")
	head := run("git", "rev-parse", "HEAD")
	for _, c := range []struct{ what, want string }{
		{"committed", `^ib_write_bw \(ibperf\) v0\.0\.0-\d{14}-` + head[:12] + "\n" + head + "$"},
		{"modified", `^ib_write_bw \(ibperf\) v0\.0\.0-\d{14}-` + head[:12] + `\+dirty` + "\n" + head + "$"},
	} {
		if c.what == "modified" {
			write("more.go", "package main\n")
		}
		if got := build(); !regexp.MustCompile(c.want).MatchString(got) {
			t.Errorf("%s: %q, want %s", c.what, got, c.want)
		}
	}
	run("git", "stash", "-q", "-u")
	run("git", "tag", "v0.2.0")
	if got := build(); got != "ib_write_bw (ibperf) v0.2.0\n"+head {
		t.Errorf("tagged: %q", got)
	}
}
