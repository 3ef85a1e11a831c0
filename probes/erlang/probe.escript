%% Reads Erlang's clocks: escript probe.escript SAMPLES PAIRS. The protocol is in ../README.md.
%% Interpreted, a read would cost many times what it costs in a module.
-mode(compile).

main([Samples, Pairs]) ->
    run(list_to_integer(Samples), list_to_integer(Pairs)).

%% The native unit is the runtime's own choice.
clocks() ->
    Native = erlang:convert_time_unit(1, second, native),
    Counter = erlang:convert_time_unit(1, second, perf_counter),
    [{"erlang:monotonic_time", Native, fun monotonic/1, fun erlang:monotonic_time/0},
     {"erlang:system_time", Native, fun system/1, fun erlang:system_time/0},
     {"os:system_time", Native, fun os_system/1, fun os:system_time/0},
     {"os:perf_counter", Counter, fun counter/1, fun os:perf_counter/0}].

%% The batch of each clock is written out, so that no call through a fun stands in it.
monotonic(0) -> ok;
monotonic(N) -> erlang:monotonic_time(), monotonic(N - 1).
system(0) -> ok;
system(N) -> erlang:system_time(), system(N - 1).
os_system(0) -> ok;
os_system(N) -> os:system_time(), os_system(N - 1).
counter(0) -> ok;
counter(N) -> os:perf_counter(), counter(N - 1).

timed(Batch, N) ->
    Start = erlang:monotonic_time(nanosecond),
    Batch(N),
    erlang:monotonic_time(nanosecond) - Start.

%% The least of three, since one may be interrupted.
enough(Batch, N) ->
    case lists:min([timed(Batch, N) || _ <- [1, 2, 3]]) >= 100000 of
        true -> N;
        false -> enough(Batch, 2 * N)
    end.

row(0, _, Values) -> lists:reverse(Values);
row(N, Read, Values) -> row(N - 1, Read, [Read() | Values]).

run(Samples, Pairs) ->
    Clocks = clocks(),
    io:format("# clockscope-probe/1~n# runtime Erlang/OTP ~s (ERTS ~s)~n# timer erlang:monotonic_time~n",
              [erlang:system_info(otp_release), erlang:system_info(version)]),
    [io:format("# clock ~s 1/~b~n", [Label, PerSecond]) || {Label, PerSecond, _, _} <- Clocks],
    [io:format("# claim erlang:monotonic_time ~s ~0p~n", [Key, Value])
     || {Key, Value} <- erlang:system_info(os_monotonic_time_source), Key =/= time],
    [io:format("# claim os:system_time ~s ~0p~n", [Key, Value])
     || {Key, Value} <- erlang:system_info(os_system_time_source), Key =/= time],
    io:format("# claim erlang:system_time time_warp_mode ~s~n", [erlang:system_info(time_warp_mode)]),
    [begin
         N = enough(Batch, 20),
         [io:format("# pair ~s ~b ~b ~b~n", [Label, N, timed(Batch, N), timed(Batch, 2 * N)])
          || _ <- lists:seq(1, Pairs)]
     end || Pairs > 0, {Label, _, Batch, _} <- Clocks],
    [io:put_chars([[Label, $\s, integer_to_list(Value), $\n] || Value <- row(Samples, Read, [])])
     || {Label, _, _, Read} <- Clocks],
    io:format("# end~n").
