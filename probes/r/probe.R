# Reads R's clocks: Rscript probe.R SAMPLES PAIRS. The protocol is in ../README.md.

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
samples <- arguments[1]
pairs <- arguments[2]

# The batch of each clock is written out. All are seconds as a double, which has a grid of its own.
clocks <- list(
  Sys.time = list(read = function() unclass(Sys.time()), batch = function(n) for (i in seq_len(n)) Sys.time()),
  proc.time = list(read = function() proc.time()[[3L]], batch = function(n) for (i in seq_len(n)) proc.time())
)

# R compiles a function the second time that it is called.
timed <- function(batch, n) {
  start <- unclass(Sys.time())
  batch(n)
  round((unclass(Sys.time()) - start) * 1e9)
}

cat("# clockscope-probe/1\n")
cat("# runtime R ", as.character(getRversion()), "\n", sep = "")
cat("# timer Sys.time\n")
cat(paste0("# clock ", names(clocks), " 1\n"), sep = "")

for (label in if (pairs > 0) names(clocks)) {
  batch <- clocks[[label]]$batch
  n <- 20
  # The least of three, since one may be interrupted.
  while (min(timed(batch, n), timed(batch, n), timed(batch, n)) < 200000) n <- 2 * n
  for (i in seq_len(pairs)) {
    once <- timed(batch, n)
    cat(sprintf("# pair %s %.0f %.0f %.0f\n", label, n, once, timed(batch, 2 * n)))
  }
}
for (label in names(clocks)) {
  read <- clocks[[label]]$read
  values <- rep(-1, samples)
  for (i in seq_len(samples)) values[i] <- read()
  cat(sprintf("%s %.9f\n", label, values), sep = "")
}
cat("# end\n")
