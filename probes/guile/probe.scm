;; Reads Guile's clocks: guile --no-auto-compile probe.scm SAMPLES PAIRS. The protocol is in ../README.md.

(use-modules (ice-9 format) (ice-9 match) (system base compile))

(define kept 0)
(define (timer) (get-internal-real-time))
(define (nanoseconds ticks) (quotient (* ticks 1000000000) internal-time-units-per-second))

;; The batch of each clock is compiled with the read in it: the rest of this file may be interpreted.
(define (clock label per-second read)
  (list label per-second
        (compile `(lambda (n) (let loop ((n n)) (when (> n 0) ,read (loop (- n 1))))) #:env (current-module))
        (compile `(lambda (to)
                    (let loop ((i 0)) (when (< i (vector-length to)) (vector-set! to i ,read) (loop (+ i 1)))))
                 #:env (current-module))))

(define clocks
  (list (clock "get-internal-real-time" internal-time-units-per-second '(get-internal-real-time))
        (clock "get-internal-run-time" internal-time-units-per-second '(get-internal-run-time))
        (clock "gettimeofday" 1000000 '(let ((now (gettimeofday))) (+ (* 1000000 (car now)) (cdr now))))
        (clock "current-time" 1 '(current-time))))

(define (timed batch n)
  (let ((start (timer)))
    (batch n)
    (nanoseconds (- (timer) start))))

;; The least of three, since one may be interrupted.
(define (enough batch n)
  (if (>= (min (timed batch n) (timed batch n) (timed batch n)) 100000) n (enough batch (* 2 n))))

(match (map string->number (list-tail (command-line) (- (length (command-line)) 2)))
  ((samples pairs)
   (format #t "# clockscope-probe/1~%# runtime Guile ~a~%# timer get-internal-real-time~%" (version))
   (for-each (match-lambda ((label per-second . _) (format #t "# clock ~a 1/~d~%" label per-second))) clocks)
   (format #t "# claim get-internal-real-time internal-time-units-per-second ~d~%" internal-time-units-per-second)
   (for-each
    (match-lambda
      ((label _ batch _)
       (let ((n (enough batch 20)))
         (do ((i 0 (+ i 1))) ((= i pairs))
           (let* ((once (timed batch n)) (twice (timed batch (* 2 n))))
             (format #t "# pair ~a ~d ~d ~d~%" label n once twice))))))
    (if (zero? pairs) '() clocks))
   (let ((values (make-vector samples -1)))
     (for-each
      (match-lambda
        ((label _ _ row)
         (row values)
         (do ((i 0 (+ i 1))) ((= i samples))
           (display label) (display " ") (display (vector-ref values i)) (newline))))
      clocks))
   (display "# end\n")))
