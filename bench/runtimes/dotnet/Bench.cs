// The reads of ../../../probes/dotnet by the method of BenchmarkDotNet: a loop of calls through a delegate, sixteen in a turn,
// less the same loop of an empty method. Prints the label and the median of the rounds in ns.

using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

static class Bench
{
    const int Rounds = 15;
    const double RoundNs = 20e6;

    static long keptLong;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Empty() { return 0; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long GetTimestamp() { return Stopwatch.GetTimestamp(); }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long UtcNow() { return DateTime.UtcNow.Ticks; }
    [MethodImpl(MethodImplOptions.NoInlining)]
    static long TickCount() { return Environment.TickCount; }

    static double Turn(Func<long> call, int turns)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < turns; i++)
        {
            keptLong = call(); keptLong = call(); keptLong = call(); keptLong = call();
            keptLong = call(); keptLong = call(); keptLong = call(); keptLong = call();
            keptLong = call(); keptLong = call(); keptLong = call(); keptLong = call();
            keptLong = call(); keptLong = call(); keptLong = call(); keptLong = call();
        }
        return (Stopwatch.GetTimestamp() - start) * (1e9 / Stopwatch.Frequency) / (16.0 * turns);
    }

    static double Median(Func<long> call)
    {
        int turns = 1;
        while (Turn(call, turns) * 16 * turns < RoundNs) turns *= 2;
        double[] all = new double[Rounds];
        for (int i = 0; i < Rounds; i++) all[i] = Turn(call, turns);
        Array.Sort(all);
        return all[Rounds / 2];
    }

    static void Show(string label, Func<long> call)
    {
        double cost = Median(call) - Median(Empty);
        Console.WriteLine(label + " " + cost.ToString("R", System.Globalization.CultureInfo.InvariantCulture));
    }

    static void Main()
    {
        Show("Stopwatch.GetTimestamp", GetTimestamp);
        Show("DateTime.UtcNow", UtcNow);
        Show("Environment.TickCount", TickCount);
    }
}
