;; Reads the clocks of Common Lisp, as SBCL has them: sbcl --script probe.lisp SAMPLES PAIRS. The protocol is in
;; ../README.md.

;; SBCL's internal real time is made of a coarse clock of the kernel: the time of day is what it has to time with.
(defun nanoseconds ()
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (* 1000 (+ (* seconds 1000000) microseconds))))

(defun timed (batch n)
  (let ((start (nanoseconds)))
    (funcall batch n)
    (- (nanoseconds) start)))

(defvar *kept* 0)

;; The batch of each clock is compiled with the read in it.
(defmacro clock (label per-second read)
  `(list ,label ,per-second
         (lambda (n) (declare (fixnum n)) (dotimes (i n) (setf *kept* ,read)))
         (lambda (to) (declare (simple-vector to)) (dotimes (i (length to)) (setf (svref to i) ,read)))))

(defvar *clocks*
  (list (clock "get-internal-real-time" internal-time-units-per-second (get-internal-real-time))
        (clock "get-internal-run-time" internal-time-units-per-second (get-internal-run-time))
        (clock "get-universal-time" 1 (get-universal-time))
        (clock "sb-ext:get-time-of-day" 1000000
               (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
                 (+ (* seconds 1000000) microseconds)))))

(destructuring-bind (samples pairs) (mapcar #'parse-integer (last sb-ext:*posix-argv* 2))
  (format t "# clockscope-probe/1~%# runtime ~a ~a~%" (lisp-implementation-type) (lisp-implementation-version))
  (format t "# timer sb-ext:get-time-of-day~%")
  (loop for (label per-second) in *clocks* do (format t "# clock ~a 1/~d~%" label per-second))
  (format t "# claim get-internal-real-time internal-time-units-per-second ~d~%" internal-time-units-per-second)
  (loop for (label nil batch) in (and (plusp pairs) *clocks*)
        ;; The least of three, since one may be interrupted.
        do (let ((n (loop for n = 20 then (* 2 n)
                          when (>= (min (timed batch n) (timed batch n) (timed batch n)) 200000) return n)))
             (loop repeat pairs
                   do (format t "# pair ~a ~d ~d ~d~%" label n (timed batch n) (timed batch (* 2 n))))))
  (let ((values (make-array samples :initial-element -1)))
    (loop for (label nil nil row) in *clocks*
          do (funcall row values)
             (loop for value across values
                   do (write-string label) (write-char #\Space) (princ value) (terpri))))
  (format t "# end~%"))
