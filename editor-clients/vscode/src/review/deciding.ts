/**
 * Keeping and undoing: one request each, and what came of it in words where something went wrong.
 *
 * The text itself comes back as `dsh/applyEdit`, like any edit, and one step of the editor's own undo takes it back.
 */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Pending } from '../pending';
import { oneLine } from '../visible';
import { cut, many, unlinked } from '../wording';
import type { Decision, Selection } from '../wire';

const REASON = 300;

/** What a person can decide. */
export type Verb = 'keep' | 'undo';

/** Decides on what is pending. */
export class Deciding {
  constructor(
    private readonly connection: Connection,
    private readonly pending: Pending,
  ) {}

  /** Decide; what became of each hunk. */
  async decide(verb: Verb, selection: Selection): Promise<readonly Decision[]> {
    try {
      const { results } = await this.connection.request<{ results: Decision[] }>(`dsh/review/${verb}`, selection);
      this.tell(verb, results);
      return results;
    } catch (error) {
      void vscode.window.showErrorMessage(`dsh: ${unlinked(cut(oneLine(messageOf(error)), REASON))}`);
      return [];
    } finally {
      await this.pending.refresh().catch(() => undefined);
    }
  }

  /** Whether the user really means all of it: asked before undoing in more than one file. */
  async isMeant(files: number, hunks: number): Promise<boolean> {
    if (files < 2) {
      return true;
    }
    const action = 'Undo All';
    const message = `Undo ${many(hunks, 'change')} of agents in ${many(files, 'file')}?`;
    const detail = 'Files that are not open are written on the disk.';
    return (await vscode.window.showWarningMessage(message, { modal: true, detail }, action)) === action;
  }

  private tell(verb: Verb, results: readonly Decision[]): void {
    const failed = results.filter((each) => each.status === 'conflict');
    const [first] = failed;
    if (results.length === 0) {
      vscode.window.setStatusBarMessage('dsh: that change is not pending any more', 4_000);
    } else if (first !== undefined) {
      const path = vscode.workspace.asRelativePath(this.connection.uri(first.uri));
      const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
      const reason = cut(oneLine(first.reason ?? 'no reason was given'), REASON);
      const verdict = verb === 'keep' ? 'kept' : 'undone';
      const message = `dsh: a change of ${path} could not be ${verdict}${more}: ${reason}`;
      void vscode.window.showWarningMessage(unlinked(message));
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
