<?php
// Reads PHP's clocks: php probe.php SAMPLES PAIRS. The protocol is in ../README.md.

[$samples, $pairs] = array_map('intval', array_slice($argv, 1));

// The batch of each clock is written out: a call through a variable would cost more than the read.
$clocks = [
    'hrtime' => ['1/1000000000', fn() => hrtime(true), function ($n) { while ($n-- > 0) hrtime(true); }],
    // A double that holds seconds since 1970 has a grid of its own, coarser than the clock.
    'microtime' => ['1', fn() => microtime(true), function ($n) { while ($n-- > 0) microtime(true); }],
    'time' => ['1', fn() => time(), function ($n) { while ($n-- > 0) time(); }],
];

function timed(callable $batch, int $n): int
{
    $start = hrtime(true);
    $batch($n);
    return hrtime(true) - $start;
}

echo "# clockscope-probe/1\n# runtime PHP ", PHP_VERSION, "\n# timer hrtime\n";
foreach ($clocks as $label => [$tick]) echo "# clock $label $tick\n";

foreach ($pairs > 0 ? $clocks : [] as $label => [, , $batch]) {
    $n = 20;
    // The least of three: one may be interrupted.
    while (min(timed($batch, $n), timed($batch, $n), timed($batch, $n)) < 100000) $n *= 2;
    for ($i = 0; $i < $pairs; $i++) echo "# pair $label $n ", timed($batch, $n), ' ', timed($batch, 2 * $n), "\n";
}

foreach ($clocks as $label => [, $read]) {
    $values = $samples > 0 ? array_fill(0, $samples, -1) : [];
    for ($i = 0; $i < $samples; $i++) $values[$i] = $read();
    foreach ($values as $value) echo $label, ' ', is_float($value) ? sprintf('%.9f', $value) : $value, "\n";
}
echo "# end\n";
