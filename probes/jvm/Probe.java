// Reads Java's clocks: java Probe SAMPLES PAIRS. The protocol is in ../README.md.

import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

public class Probe {
    record Clock(String label, String tick, LongSupplier read, IntConsumer batch) {}

    // What was read is kept, so that the compiler can't leave the reads out.
    static long kept;
    static Instant keptInstant;

    static long nanoseconds(Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }

    // The batch of each clock is a method of its own, so that the compiler sees one callee in it.
    static void nanoTime(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += System.nanoTime();
        kept = sum;
    }

    static void currentTimeMillis(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) sum += System.currentTimeMillis();
        kept = sum;
    }

    // The last one is kept, for which each has to be made; keeping each would add the collector's part of a store.
    static void instantNow(int n) {
        Instant last = null;
        for (int i = 0; i < n; i++) last = Instant.now();
        keptInstant = last;
    }

    static final List<Clock> CLOCKS = List.of(
            new Clock("System.nanoTime", "1/1000000000", System::nanoTime, Probe::nanoTime),
            new Clock("System.currentTimeMillis", "1/1000", System::currentTimeMillis, Probe::currentTimeMillis),
            new Clock("Instant.now", "1/1000000000", () -> nanoseconds(Instant.now()), Probe::instantNow));

    static long timed(Clock clock, int n) {
        long start = System.nanoTime();
        clock.batch().accept(n);
        return System.nanoTime() - start;
    }

    static void row(LongSupplier read, long[] to) {
        for (int i = 0; i < to.length; i++) to[i] = read.getAsLong();
    }

    // Of three, since one may be interrupted.
    static long least(Clock clock, int n) {
        return Math.min(timed(clock, n), Math.min(timed(clock, n), timed(clock, n)));
    }

    public static void main(String[] args) throws InterruptedException {
        int samples = Integer.parseInt(args[0]);
        int pairs = Integer.parseInt(args[1]);
        StringBuilder out = new StringBuilder("# clockscope-probe/1\n");
        out.append("# runtime JVM ").append(System.getProperty("java.version")).append('\n');
        out.append("# timer System.nanoTime\n");
        for (Clock clock : CLOCKS) out.append("# clock " + clock.label() + " " + clock.tick() + "\n");
        out.append("# claim System.nanoTime vm " + System.getProperty("java.vm.name") + "\n");
        out.append("# claim Instant.now clock " + java.time.Clock.systemUTC() + "\n");

        for (Clock clock : CLOCKS) {
            if (pairs == 0) break;
            // The optimizing compiler works beside the program, and gets a CPU where there is but one.
            for (int i = 0; i < 200; i++) clock.batch().accept(1000);
            Thread.sleep(50);
            int n = 20;
            while (least(clock, n) < 100_000) n *= 2;
            for (int i = 0; i < pairs; i++) {
                long once = timed(clock, n);
                long twice = timed(clock, 2 * n);
                out.append("# pair " + clock.label() + " " + n + " " + once + " " + twice + "\n");
            }
        }

        long[] values = new long[samples];
        // Twice each: by the second time the loop is compiled and the pages are there.
        for (Clock clock : CLOCKS) {
            row(clock.read(), values);
            row(clock.read(), values);
            for (long value : values) out.append(clock.label()).append(' ').append(value).append('\n');
        }
        PrintStream stream = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false);
        stream.print(out.append("# end\n"));
        stream.flush();
    }
}
