// Reads Node's clocks: node probe.js SAMPLES PAIRS. The protocol is in ../README.md.
"use strict";
const [samples, pairs] = process.argv.slice(2).map(Number);

// A batch of each clock is a function of its own, so that the compiler sees one callee in it; what was read is kept, so
// that it can't leave the reads out.
let kept;
const clocks = [
  {
    label: "process.hrtime.bigint", tick: "1/1000000000",
    read: () => process.hrtime.bigint(),
    batch: (n) => { for (let i = 0; i < n; i++) kept = process.hrtime.bigint(); },
  },
  {
    label: "performance.now", tick: "1/1000",
    read: () => performance.now(),
    batch: (n) => { for (let i = 0; i < n; i++) kept = performance.now(); },
  },
  {
    label: "Date.now", tick: "1/1000",
    read: () => Date.now(),
    batch: (n) => { for (let i = 0; i < n; i++) kept = Date.now(); },
  },
];

function timed(clock, n) {
  const start = process.hrtime.bigint();
  clock.batch(n);
  return process.hrtime.bigint() - start;
}

function row(read, to) {
  for (let i = 0; i < to.length; i++) to[i] = read();
}

// Of three, since one may be interrupted.
function least(clock, n) {
  return [0, 0, 0].map(() => timed(clock, n)).reduce((a, b) => (b < a ? b : a));
}

const lines = ["# clockscope-probe/1", `# runtime Node.js ${process.version}`, "# timer process.hrtime.bigint"];
for (const { label, tick } of clocks) lines.push(`# clock ${label} ${tick}`);
lines.push(`# claim performance.now timeOrigin ${performance.timeOrigin}`);
lines.push(`# claim process.hrtime.bigint v8 ${process.versions.v8}`);

for (const clock of pairs > 0 ? clocks : []) {
  clock.batch(200000); // by then the optimizing compiler has had its say
  let n = 20;
  while (least(clock, n) < 100000n) n *= 2;
  for (let i = 0; i < pairs; i++) lines.push(`# pair ${clock.label} ${n} ${timed(clock, n)} ${timed(clock, 2 * n)}`);
}

for (const { label, read } of clocks) {
  const values = new Array(samples).fill(-1);
  // Twice: by the second time the loop is compiled and the pages are there.
  row(read, values);
  row(read, values);
  for (const value of values) lines.push(`${label} ${value}`);
}
lines.push("# end", "");
process.stdout.write(lines.join("\n"));
