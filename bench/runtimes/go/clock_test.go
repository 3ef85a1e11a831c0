// The reads of ../../../probes/go, by Go's own benchmarks.
package clock

import (
	"testing"
	"time"
	_ "unsafe" // for go:linkname
)

//go:linkname nanotime runtime.nanotime
func nanotime() int64

var start = time.Now()

var kept int64
var keptTime time.Time

func BenchmarkClocks(b *testing.B) {
	b.Run("time.Now", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			keptTime = time.Now()
		}
	})
	b.Run("time.Since", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			kept = int64(time.Since(start))
		}
	})
	b.Run("runtime.nanotime", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			kept = nanotime()
		}
	})
}
