/** Rows of the tree of changes: a session, a file in it, a hunk in that. */
import type * as vscode from 'vscode';

import type { ReviewedHunk } from '../wire';

/** One row; what it names is what a command on it decides on. */
export interface Place {
  readonly place: 'session' | 'file' | 'hunk';
  readonly sessionId: string;
  readonly uri?: vscode.Uri;
  readonly hunk?: ReviewedHunk;
  /** The hunks below it. */
  readonly hunks: readonly ReviewedHunk[];
}
