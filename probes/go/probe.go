// Reads Go's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"
	_ "unsafe" // for go:linkname
)

// What all of Go's clocks that don't go back are made of.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

var start = time.Now()

// What was read is kept, so that the compiler can't leave the reads out.
var kept int64
var keptTime time.Time

// The batch of each clock is written out: a read through a function value would cost a call more.
var clocks = []struct {
	label string
	read  func() int64
	batch func(n int)
}{
	{"time.Now", func() int64 { return time.Now().UnixNano() }, func(n int) {
		for i := 0; i < n; i++ {
			keptTime = time.Now()
		}
	}},
	{"time.Since", func() int64 { return int64(time.Since(start)) }, func(n int) {
		for i := 0; i < n; i++ {
			kept = int64(time.Since(start))
		}
	}},
	{"runtime.nanotime", nanotime, func(n int) {
		for i := 0; i < n; i++ {
			kept = nanotime()
		}
	}},
}

func timed(batch func(int), n int) int64 {
	start := nanotime()
	batch(n)
	return nanotime() - start
}

// Of three, since one may be interrupted.
func least(batch func(int), n int) int64 {
	shortest := timed(batch, n)
	for i := 0; i < 2; i++ {
		if next := timed(batch, n); next < shortest {
			shortest = next
		}
	}
	return shortest
}

func main() {
	samples, _ := strconv.Atoi(os.Args[1])
	pairs, _ := strconv.Atoi(os.Args[2])
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()

	fmt.Fprintln(out, "# clockscope-probe/1")
	fmt.Fprintln(out, "# runtime Go", runtime.Version())
	fmt.Fprintln(out, "# timer runtime.nanotime")
	for _, clock := range clocks {
		fmt.Fprintln(out, "# clock", clock.label, "1/1000000000")
	}
	for _, clock := range clocks {
		n := 20
		for pairs > 0 && least(clock.batch, n) < 100_000 {
			n *= 2
		}
		for i := 0; i < pairs; i++ {
			fmt.Fprintln(out, "# pair", clock.label, n, timed(clock.batch, n), timed(clock.batch, 2*n))
		}
	}
	values := make([]int64, samples)
	for i := range values {
		values[i] = -1 // so that the pages are there
	}
	for _, clock := range clocks {
		for i := range values {
			values[i] = clock.read()
		}
		for _, value := range values {
			fmt.Fprintln(out, clock.label, value)
		}
	}
	fmt.Fprintln(out, "# end")
}
