-- Reads Haskell's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md.
module Main (main) where

import Control.Monad (forM_, replicateM, replicateM_)
import Data.Array.IO (IOArray, getElems, newArray, writeArray)
import Data.Time.Clock.POSIX (getPOSIXTime)
import Data.Version (showVersion)
import GHC.Clock (getMonotonicTimeNSec)
import System.CPUTime (cpuTimePrecision, getCPUTime)
import System.Environment (getArgs)
import System.Info (compilerName, compilerVersion)

-- Label, units a second (picoseconds since 1970 would not fit in 64 bits), the batch and the row of readings.
clocks :: [(String, Integer, Int -> IO (), Int -> IO [Integer])]
clocks =
  [ ("GHC.Clock.getMonotonicTimeNSec", 1000000000, loop getMonotonicTimeNSec, row getMonotonicTimeNSec toInteger),
    ("getPOSIXTime", 1000000000, loop getPOSIXTime, row getPOSIXTime (truncate . (* 1000000000))),
    ("System.CPUTime.getCPUTime", 1000000000000, loop getCPUTime, row getCPUTime id)
  ]

-- `seq` makes it compute what it read.
loop :: IO a -> Int -> IO ()
loop read' n = if n > 0 then read' >>= \value -> value `seq` loop read' (n - 1) else pure ()
{-# INLINE loop #-}

new :: Int -> a -> IO (IOArray Int a)
new n = newArray (1, n)

-- As they are read, converted afterwards.
row :: IO a -> (a -> Integer) -> Int -> IO [Integer]
row read' count n = do
  first <- read'
  values <- new n first
  forM_ [1 .. n] $ \i -> read' >>= \value -> value `seq` writeArray values i value
  map count <$> getElems values
{-# INLINE row #-}

timed :: (Int -> IO ()) -> Int -> IO Integer
timed batch n = do
  start <- getMonotonicTimeNSec
  batch n
  end <- getMonotonicTimeNSec
  pure (toInteger (end - start))

-- The least of three, since one may be interrupted.
enough :: (Int -> IO ()) -> Int -> IO Int
enough batch n = do
  least <- minimum <$> replicateM 3 (timed batch n)
  if least >= 100000 then pure n else enough batch (2 * n)

main :: IO ()
main = do
  [samples, pairs] <- map read <$> getArgs
  putStrLn "# clockscope-probe/1"
  putStrLn ("# runtime " ++ compilerName ++ " " ++ showVersion compilerVersion)
  putStrLn "# timer GHC.Clock.getMonotonicTimeNSec"
  forM_ clocks $ \(label, perSecond, _, _) -> putStrLn ("# clock " ++ label ++ " 1/" ++ show perSecond)
  putStrLn ("# claim System.CPUTime.getCPUTime cpuTimePrecision " ++ show cpuTimePrecision ++ " ps")
  forM_ clocks $ \(label, _, batch, _) -> do
    n <- if pairs > 0 then enough batch 20 else pure 20
    replicateM_ pairs $ do
      once <- timed batch n
      twice <- timed batch (2 * n)
      putStrLn (unwords ["# pair", label, show n, show once, show twice])
  forM_ clocks $ \(label, _, _, readings) -> do
    values <- readings samples
    forM_ values $ \value -> putStrLn (label ++ " " ++ show value)
  putStrLn "# end"
