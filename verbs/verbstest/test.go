package verbstest

// T is what a statement needs of the test that it runs in. [testing.T] is one.
type T interface {
	Helper()
	Log(args ...any)
	Logf(format string, args ...any)
	Error(args ...any)
	FailNow()
	Failed() bool
	Skip(args ...any)
	Skipf(format string, args ...any)
	SkipNow()
	Cleanup(f func())
	TempDir() string
}

// Runner is a T that runs tests of its own kind within it, as *[testing.T] does.
type Runner[R any] interface {
	T
	Run(name string, f func(R)) bool
}

// test is a T of any kind, and how it runs a test within it.
type test struct {
	T
	run func(name string, f func(test))
}

func testOf[R Runner[R]](t R) test {
	return test{t, func(name string, f func(test)) {
		t.Helper()
		t.Run(name, func(sub R) { f(testOf(sub)) })
	}}
}
