// Package freshstack keeps the stacks of goroutines that wait small. Why, and what it gains:
// docs/decisions/0019-reads-before-a-wait-on-a-fresh-stack.md.
package freshstack

// Run runs f in another goroutine and waits for it: a stack that has grown would stay as large for as long as its goroutine
// waits afterwards. A panic of f is the caller's.
func Run(f func()) {
	panicked := make(chan any)
	go func() {
		defer func() { panicked <- recover() }()
		f()
	}()
	if p := <-panicked; p != nil {
		panic(p)
	}
}
