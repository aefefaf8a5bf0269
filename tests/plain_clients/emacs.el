;;; What tests need of an Emacs in batch mode: forms come in on standard input, one a line, and their values go out.
;;; A wait lets the server's messages in, and tells it of changes as the idle timer does, which has no turn in batch mode.

(setq make-backup-files nil auto-save-default nil create-lockfiles nil)
(make-directory user-emacs-directory t)
(setq dsh-changed #'ignore)

(defun dsh-wait (condition)
  "Return the value of CONDITION once it is not nil; nil after ten seconds."
  (let ((until (+ (float-time) 10)) (value nil))
    (while (and (not (setq value (funcall condition))) (< (float-time) until))
      (funcall dsh-changed)
      (accept-process-output nil 0.01))
    value))

(defun dsh-serve ()
  "Evaluate what comes in, until nothing more does."
  (let (line)
    (while (setq line (ignore-errors (read-from-minibuffer "")))
      (let ((value (condition-case fault
                       (list t (eval (car (read-from-string line)) t))
                     (error (list nil (error-message-string fault))))))
        (princ (format "ANSWER %s\n" (json-encode (list :ok (or (car value) :json-false) :value (format "%s" (cadr value))))))))))
