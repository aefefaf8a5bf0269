/**
 * The shapes of our own methods, as far as this extension reads them; `editor-clients/PROTOCOL.md` describes them all.
 * Ranges are LSP's, in UTF-16 units.
 */
import type { Range, TextEdit } from 'vscode-languageclient';

/** One pending hunk in a document. */
export interface Hunk {
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  /** The lines as they are now; empty for a deletion, at the line before which the text stood. */
  readonly range: Range;
  readonly removedText: string;
  readonly addedLines: number;
  readonly removedLines: number;
  readonly author?: string;
  readonly noNewlineAtEnd?: { readonly old: boolean; readonly new: boolean };
  readonly words?: readonly Range[];
}

/** `dsh/decorations`: the whole truth for one document. */
export interface DecorationsNote {
  readonly uri: string;
  readonly version: number;
  readonly hunks: readonly Hunk[];
}

/** A hunk and its file, of `dsh/review/list`. */
export interface ReviewedHunk extends Hunk {
  readonly uri: string;
}

/** What is decided on, of `dsh/review/keep` and `dsh/review/undo`. */
export interface Selection {
  readonly hunkIds?: readonly string[];
  readonly uri?: string;
  readonly range?: Range;
  readonly callId?: string;
  readonly sessionId?: string;
  readonly all?: true;
}

/** What became of a hunk. */
export interface Decision {
  readonly id: string;
  readonly uri: string;
  readonly status: 'kept' | 'undone' | 'conflict';
  readonly reason?: string;
}

/** `dsh/applyEdit`. */
export interface ApplyEditParams {
  readonly uri: string;
  readonly version: number;
  readonly contentVersion: string;
  readonly edits: TextEdit[];
}

/** `dsh/saveDocument`. */
export interface SaveDocumentParams {
  readonly uri: string;
  readonly version: number;
}

/** A session of `dsh/session/list`. */
export interface SessionInfo {
  readonly sessionId: string;
  readonly agent?: { readonly name: string; readonly version?: string };
  readonly startedAt: string;
  readonly lastAt?: string;
  readonly live: boolean;
  readonly ended: boolean;
}

/** `dsh/toolCall`. */
export interface ToolCallNote {
  readonly sessionId: string;
  readonly callId: string;
  readonly seq: number;
  readonly name: string;
  readonly view: unknown;
}

/** `dsh/toolResult`. */
export interface ToolResultNote extends ToolCallNote {
  readonly isError: boolean;
}

/** The answer to `dsh/session/replay`. */
export interface Replay {
  readonly cards: readonly { callId: string; seq: number; name: string; call: unknown; result?: unknown }[];
  readonly unreadable: number;
}

/** A file that a session has observed, of `dsh/ledger/query`. */
export interface Observation {
  readonly uri: string;
  readonly state: 'unseen' | 'absent' | 'present';
  readonly stale: boolean;
}
