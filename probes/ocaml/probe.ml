(* Reads OCaml's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md. All are seconds as a double, which has a
   grid of its own. *)

let samples = int_of_string Sys.argv.(1)
let pairs = int_of_string Sys.argv.(2)
let kept = ref 0.

(* A batch of each clock is written out: a call through a closure would cost more. *)
let clocks =
  [
    ("Unix.gettimeofday", Unix.gettimeofday, fun n -> for _ = 1 to n do kept := Unix.gettimeofday () done);
    ("Unix.time", Unix.time, fun n -> for _ = 1 to n do kept := Unix.time () done);
    ("Sys.time", Sys.time, fun n -> for _ = 1 to n do kept := Sys.time () done);
  ]

let timed batch n =
  let start = Unix.gettimeofday () in
  batch n;
  int_of_float (((Unix.gettimeofday () -. start) *. 1e9) +. 0.5)

(* The least of three, since one may be interrupted; long enough that the timer's microseconds don't matter. *)
let rec enough batch n =
  if min (timed batch n) (min (timed batch n) (timed batch n)) >= 200_000 then n else enough batch (2 * n)

let () =
  Printf.printf "# clockscope-probe/1\n# runtime OCaml %s\n# timer Unix.gettimeofday\n" Sys.ocaml_version;
  List.iter (fun (label, _, _) -> Printf.printf "# clock %s 1\n" label) clocks;
  List.iter
    (fun (label, _, batch) ->
      let n = if pairs > 0 then enough batch 20 else 20 in
      for _ = 1 to pairs do
        let once = timed batch n in
        Printf.printf "# pair %s %d %d %d\n" label n once (timed batch (2 * n))
      done)
    clocks;
  let values = Array.make samples (-1.) in
  List.iter
    (fun (label, read, _) ->
      for i = 0 to samples - 1 do values.(i) <- read () done;
      Array.iter (Printf.printf "%s %.9f\n" label) values)
    clocks;
  print_endline "# end"
