# Reads Perl's clocks: perl probe.pl SAMPLES PAIRS. The protocol is in ../README.md.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime clock_getres CLOCK_MONOTONIC CLOCK_REALTIME);

my ($samples, $pairs) = @ARGV;
our $kept;

sub timed {
    my ($batch, $n) = @_;
    my $start = clock_gettime(CLOCK_MONOTONIC);
    $batch->($n);
    return int((clock_gettime(CLOCK_MONOTONIC) - $start) * 1e9 + 0.5);
}

# Label, how a value is written, and the read as text: the batch of each clock is compiled with it, since a call through
# a reference would cost more than the read. All but time() tell seconds as a double, which has a grid of its own.
my @clocks = map { my ($label, $form, $read) = @$_;
    my $batch = eval "sub { my \$n = shift; while (\$n-- > 0) { \$kept = $read } }" or die $@;
    my $row = eval "sub { my \$to = shift; for my \$i (0 .. \$#\$to) { \$to->[\$i] = $read } }" or die $@;
    [$label, $form, $batch, $row]
} (
    ['Time::HiRes::time', '%.9f', 'Time::HiRes::time()'],
    ['Time::HiRes::clock_gettime(CLOCK_MONOTONIC)', '%.9f', 'clock_gettime(CLOCK_MONOTONIC)'],
    ['Time::HiRes::clock_gettime(CLOCK_REALTIME)', '%.9f', 'clock_gettime(CLOCK_REALTIME)'],
    ['time', '%d', 'time()'],
);

print "# clockscope-probe/1\n";
printf "# runtime Perl %vd\n", $^V;
print "# timer Time::HiRes::clock_gettime(CLOCK_MONOTONIC)\n";
print "# clock $_->[0] 1\n" for @clocks;
printf "# claim Time::HiRes::clock_gettime(CLOCK_MONOTONIC) clock_getres %.9f s\n", clock_getres(CLOCK_MONOTONIC);
printf "# claim Time::HiRes::clock_gettime(CLOCK_REALTIME) clock_getres %.9f s\n", clock_getres(CLOCK_REALTIME);
print "# claim Time::HiRes::time version $Time::HiRes::VERSION\n";

for ($pairs ? @clocks : ()) {
    my ($label, undef, $batch) = @$_;
    my $n = 20;
    # The least of three: one may be interrupted.
    $n *= 2 while (sort { $a <=> $b } map { timed($batch, $n) } 1 .. 3)[0] < 100_000;
    printf "# pair %s %d %d %d\n", $label, $n, timed($batch, $n), timed($batch, 2 * $n) for 1 .. $pairs;
}

my @values = (-1) x $samples;
for (@clocks) {
    my ($label, $form, undef, $row) = @$_;
    $row->(\@values);
    printf "%s $form\n", $label, $_ for @values;
}
print "# end\n";
