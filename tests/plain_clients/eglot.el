;;; eglot as it comes, with the server as its only setting, and no question for edits that the server asks for.

(package-initialize)
(require 'eglot)
(add-to-list 'eglot-server-programs (cons 'text-mode (list (getenv "DSH_PYTHON") "-m" "dsh_lsp" "--stdio")))
(setq eglot-confirm-server-initiated-edits nil eglot-sync-connect 30 eglot-autoshutdown nil)
(setq dsh-changed (lambda () (when eglot--recent-changes (eglot--signal-textDocument/didChange))))

(defun dsh-start ()
  "Attach the current buffer."
  (eglot--connect '(text-mode) (project-current t) 'eglot-lsp-server
                  (list (getenv "DSH_PYTHON") "-m" "dsh_lsp" "--stdio") "text")
  (dsh-wait (lambda () (eglot-current-server)))
  (eglot--maybe-activate-editing-mode)
  (dsh-wait #'eglot-managed-p))

(defun dsh-hover ()
  "The hover at point."
  (format "%s" (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))

(defun dsh-act (kind)
  "Run the code action of a KIND at point."
  (let ((actions (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                                  (list :textDocument (eglot--TextDocumentIdentifier)
                                        :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                                        :context (list :diagnostics [])))))
    (seq-doseq (action actions)
      (when (equal kind (plist-get action :kind))
        (let ((command (plist-get action :command)))
          (eglot-execute-command (eglot-current-server)
                                 (intern (plist-get command :command)) (plist-get command :arguments)))))))
