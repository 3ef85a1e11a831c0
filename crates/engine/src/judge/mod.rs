//! Findings and the verdict, from machine facts and characters. Pure.
