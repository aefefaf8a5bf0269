;;; lsp-mode as it comes, with the server as its only setting.

(package-initialize)
(require 'lsp-mode)
(setq lsp-auto-guess-root t lsp-session-file (expand-file-name "session" user-emacs-directory) lsp-enable-snippet nil
      lsp-response-timeout 30 lsp-debounce-full-sync-notifications nil lsp-restart 'ignore
      lsp-signature-auto-activate nil lsp-enable-file-watchers nil)
(lsp-register-client
 (make-lsp-client :new-connection (lsp-stdio-connection (list (getenv "DSH_PYTHON") "-m" "dsh_lsp" "--stdio"))
                  :major-modes '(text-mode) :server-id 'dsh))
(add-to-list 'lsp-language-id-configuration '(text-mode . "text"))

(defun dsh-start ()
  "Attach the current buffer."
  (lsp-workspace-folders-add default-directory)
  (lsp)
  (dsh-wait (lambda () (and (lsp-workspaces) (eq 'initialized (lsp--workspace-status (car (lsp-workspaces))))))))

(defun dsh-hover ()
  "The hover at point."
  (format "%s" (json-encode (lsp-request "textDocument/hover" (lsp--text-document-position-params)))))

(defun dsh-act (kind)
  "Run the code action of a KIND at point."
  (seq-doseq (action (lsp-request "textDocument/codeAction" (lsp--text-document-code-action-params)))
    (when (equal kind (gethash "kind" action))
      (lsp-execute-code-action action))))
