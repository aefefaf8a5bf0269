/** Above each hunk: who did what, and keep, undo, diff. */
import * as vscode from 'vscode';

import type { Pending } from '../pending';
import { linesOf } from '../ranges';
import { author, counts, deed, iconless } from '../wording';

/** More than so many hunks get no lenses: a file that an agent made anew line by line is decided on as a file. */
const MOST = 1_000;

/** Provides the lenses while the setting is on. */
export class Lenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(private readonly pending: Pending) {
    this.subscriptions = [
      vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
      pending.onDidNote(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('dsh.codeLens')) {
          this.changed.fire();
        }
      }),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const noted = this.pending.of(document.uri);
    const wanted = vscode.workspace.getConfiguration('dsh.codeLens', document.uri).get('enabled', true);
    if (!wanted || noted === undefined || noted.hunks.length > MOST) {
      return [];
    }
    return noted.hunks.flatMap((hunk) => {
      const { first } = linesOf(hunk, document.lineCount);
      const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
        new vscode.CodeLens(new vscode.Range(first, 0, first, 0), { title, command, tooltip, arguments: [hunk.id] });
      return [
        lens(`${iconless(author(hunk))} ${deed(hunk)} (${counts([hunk])})`, 'dsh.openDiff', 'Compare with the text from before'),
        lens('$(check)\u00a0Keep', 'dsh.keepHunk', 'Accept this change'),
        lens('$(discard)\u00a0Undo', 'dsh.undoHunk', 'Bring the text from before back'),
        lens('$(diff)\u00a0Diff', 'dsh.openDiff', 'Compare with the text from before'),
      ];
    });
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.changed.dispose();
  }
}
