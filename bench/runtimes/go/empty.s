// A file in assembly, so that the compiler takes a function without a body.
