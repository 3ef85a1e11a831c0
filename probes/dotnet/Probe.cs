// Reads the clocks of .NET and Mono: Probe SAMPLES PAIRS. The protocol is in ../README.md.
// In C# 5 and without reference to later libraries, so that Mono's compiler takes it; what came later is looked up.

using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using System.Threading;

static class Probe
{
    sealed class Clock
    {
        public readonly string Label;
        public readonly long PerSecond;
        public readonly Func<long> Read;
        public readonly Action<int> Batch;

        public Clock(string label, long perSecond, Func<long> read, Action<int> batch)
        {
            Label = label;
            PerSecond = perSecond;
            Read = read;
            Batch = batch;
        }
    }

    // What was read is kept, so that the compiler can't leave the reads out.
    static long kept;
    static DateTime keptTime;

    // The batch of each clock is a method of its own, so that no call through a delegate stands in it.
    static void GetTimestamp(int n) { for (int i = 0; i < n; i++) kept = Stopwatch.GetTimestamp(); }
    static void UtcNow(int n) { for (int i = 0; i < n; i++) keptTime = DateTime.UtcNow; }
    static void TickCount(int n) { for (int i = 0; i < n; i++) kept = Environment.TickCount; }

    // The same of what Mono's library lacks, so that no source can name it.
    static Action<int> BatchOf(MethodInfo read)
    {
        var batch = new DynamicMethod("Batch", typeof(void), new[] { typeof(int) }, typeof(Probe), true);
        ILGenerator code = batch.GetILGenerator();
        System.Reflection.Emit.Label again = code.DefineLabel(), next = code.DefineLabel();
        code.Emit(OpCodes.Br, next);
        code.MarkLabel(again);
        code.Emit(OpCodes.Call, read);
        code.Emit(OpCodes.Stsfld, typeof(Probe).GetField("kept", BindingFlags.NonPublic | BindingFlags.Static));
        code.MarkLabel(next);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldc_I4_1);
        code.Emit(OpCodes.Sub);
        code.Emit(OpCodes.Dup);
        code.Emit(OpCodes.Starg_S, (byte)0);
        code.Emit(OpCodes.Ldc_I4_0);
        code.Emit(OpCodes.Bge, again);
        code.Emit(OpCodes.Ret);
        return (Action<int>)batch.CreateDelegate(typeof(Action<int>));
    }

    static long Timed(Action<int> batch, int n)
    {
        long start = Stopwatch.GetTimestamp();
        batch(n);
        long ticks = Stopwatch.GetTimestamp() - start;
        return (long)(ticks * (1e9 / Stopwatch.Frequency));
    }

    static void Row(Func<long> read, long[] to)
    {
        for (int i = 0; i < to.Length; i++) to[i] = read();
    }

    // Of three, since one may be interrupted.
    static long Least(Action<int> batch, int n)
    {
        return Math.Min(Timed(batch, n), Math.Min(Timed(batch, n), Timed(batch, n)));
    }

    static string Runtime()
    {
        Type mono = Type.GetType("Mono.Runtime");
        if (mono != null)
        {
            MethodInfo name = mono.GetMethod("GetDisplayName", BindingFlags.NonPublic | BindingFlags.Static);
            return "Mono " + (name == null ? "" : name.Invoke(null, null));
        }
        Type information = Type.GetType("System.Runtime.InteropServices.RuntimeInformation");
        PropertyInfo description = information == null ? null : information.GetProperty("FrameworkDescription");
        return ".NET " + (description == null ? Environment.Version.ToString() : description.GetValue(null, null));
    }

    static int Main(string[] args)
    {
        int samples = int.Parse(args[0], CultureInfo.InvariantCulture);
        int pairs = int.Parse(args[1], CultureInfo.InvariantCulture);
        PropertyInfo later = typeof(Environment).GetProperty("TickCount64");

        var clocks = new System.Collections.Generic.List<Clock>
        {
            new Clock("Stopwatch.GetTimestamp", Stopwatch.Frequency, Stopwatch.GetTimestamp, GetTimestamp),
            new Clock("DateTime.UtcNow", TimeSpan.TicksPerSecond, () => DateTime.UtcNow.Ticks, UtcNow),
            new Clock("Environment.TickCount", 1000, () => Environment.TickCount, TickCount),
        };
        if (later != null)
        {
            MethodInfo get = later.GetGetMethod();
            var read = (Func<long>)Delegate.CreateDelegate(typeof(Func<long>), get);
            clocks.Add(new Clock("Environment.TickCount64", 1000, read, BatchOf(get)));
        }

        var text = new StringBuilder("# clockscope-probe/1\n");
        text.Append("# runtime " + Runtime() + "\n# timer Stopwatch.GetTimestamp\n");
        foreach (Clock clock in clocks) text.Append("# clock " + clock.Label + " 1/" + clock.PerSecond + "\n");
        text.Append("# claim Stopwatch.GetTimestamp Frequency " + Stopwatch.Frequency + "\n");
        text.Append("# claim Stopwatch.GetTimestamp IsHighResolution " + Stopwatch.IsHighResolution + "\n");
        if (later == null) text.Append("# absent Environment.TickCount64 this runtime's Environment lacks it\n");

        foreach (Clock clock in clocks)
        {
            if (pairs == 0) break;
            // Tiered compilation replaces a method that was called often, some time after, and beside the program.
            for (int i = 0; i < 100; i++) clock.Batch(1000);
            Thread.Sleep(150);
            for (int i = 0; i < 50; i++) clock.Batch(1000);
            int n = 20;
            while (Least(clock.Batch, n) < 100000) n *= 2;
            for (int i = 0; i < pairs; i++)
            {
                long once = Timed(clock.Batch, n);
                long twice = Timed(clock.Batch, 2 * n);
                text.Append("# pair " + clock.Label + " " + n + " " + once + " " + twice + "\n");
            }
        }

        var values = new long[samples];
        // Twice each: by the second time the loop is compiled and the pages are there.
        foreach (Clock clock in clocks)
        {
            Row(clock.Read, values);
            Row(clock.Read, values);
            foreach (long value in values) text.Append(clock.Label).Append(' ').Append(value).Append('\n');
        }
        using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
            output.Write(text.Append("# end\n").ToString());
        return 0;
    }
}
