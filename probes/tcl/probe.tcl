# Reads Tcl's clocks: tclsh probe.tcl SAMPLES PAIRS. The protocol is in ../README.md.

lassign $argv samples pairs

# In procedures, since Tcl compiles these alone; the batch of each clock has the read in it.
set clocks {}
foreach {command per_second} {microseconds 1000000 milliseconds 1000 seconds 1} {
    lappend clocks clock-$command $per_second
    proc batch-clock-$command n "while {\$n > 0} {clock $command; incr n -1}"
    proc row-clock-$command n "set to \[lrepeat \$n -1\]
        for {set i 0} {\$i < \$n} {incr i} {lset to \$i \[clock $command\]}
        return \$to"
}

proc timed {label n} {
    set start [clock microseconds]
    batch-$label $n
    expr {([clock microseconds] - $start) * 1000}
}

puts "# clockscope-probe/1"
puts "# runtime Tcl [info patchlevel]"
puts "# timer clock-microseconds"
foreach {label per_second} $clocks {puts "# clock $label 1/$per_second"}

foreach {label per_second} $clocks {
    if {$pairs == 0} break
    set n 20
    # The least of three, since one may be interrupted; long enough that the timer's microseconds don't matter.
    while {min([timed $label $n], [timed $label $n], [timed $label $n]) < 500000} {incr n $n}
    for {set i 0} {$i < $pairs} {incr i} {
        puts "# pair $label $n [timed $label $n] [timed $label [expr {2 * $n}]]"
    }
}
foreach {label per_second} $clocks {
    foreach value [row-$label $samples] {puts "$label $value"}
}
puts "# end"
