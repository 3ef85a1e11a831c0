-- Reads Haskell's clocks: probe SAMPLES PAIRS. The protocol is in ../README.md.
module Main (main) where

import Control.Monad (forM_, replicateM, replicateM_)
import Data.Array.IO (IOUArray, getElems, newArray, writeArray)
import Data.Time.Clock.POSIX (getPOSIXTime)
import Data.Version (showVersion)
import GHC.Clock (getMonotonicTimeNSec)
import System.CPUTime (cpuTimePrecision, getCPUTime)
import System.Environment (getArgs)
import System.Info (compilerName, compilerVersion)

-- Label, units a second (picoseconds since 1970 would not fit in 64 bits), the read and its batch. `seq` makes each batch compute what it read.
clocks :: [(String, Integer, IO Integer, Int -> IO ())]
clocks =
  [ ("GHC.Clock.getMonotonicTimeNSec", 1000000000, toInteger <$> getMonotonicTimeNSec, loop getMonotonicTimeNSec),
    ("getPOSIXTime", 1000000000, truncate . (* 1000000000) <$> getPOSIXTime, loop getPOSIXTime),
    ("System.CPUTime.getCPUTime", 1000000000000, getCPUTime, loop getCPUTime)
  ]

loop :: IO a -> Int -> IO ()
loop read' n = if n > 0 then read' >>= \value -> value `seq` loop read' (n - 1) else pure ()
{-# INLINE loop #-}

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
  forM_ clocks $ \(label, _, _, batch) -> do
    n <- enough batch 20
    replicateM_ pairs $ do
      once <- timed batch n
      twice <- timed batch (2 * n)
      putStrLn (unwords ["# pair", label, show n, show once, show twice])
  forM_ clocks $ \(label, _, read', _) -> do
    values <- newArray (0, max 0 (samples - 1)) (-1) :: IO (IOUArray Int Int)
    forM_ [0 .. samples - 1] $ \i -> read' >>= writeArray values i . fromInteger
    kept <- getElems values
    forM_ (take samples kept) $ \value -> putStrLn (label ++ " " ++ show value)
  putStrLn "# end"
