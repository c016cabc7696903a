package verbstest

// T has the methods of [testing.T] that statements use.
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

// Runner is a T that runs subtests of its own type, as *[testing.T] does.
type Runner[R any] interface {
	T
	Run(name string, f func(R)) bool
}

// test is a T of any type, with a function that runs subtests.
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
