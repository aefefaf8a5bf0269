/** The text from before as a quick diff, where the user wants it: a click in the gutter peeks at it. */
import * as vscode from 'vscode';

import type { Pending } from '../pending';
import type { Diffs } from './diffs';

/** Offers it while the setting is on. */
export class QuickDiff implements vscode.Disposable {
  private control: vscode.SourceControl | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly diffs: Diffs,
    pending: Pending,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('dsh.quickDiff')) {
          this.follow();
        }
      }),
      pending.onDidList(() => this.count(pending.all.length)),
    ];
    this.follow();
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.control?.dispose();
  }

  private follow(): void {
    const wanted = vscode.workspace.getConfiguration('dsh').get('quickDiff.enabled', false);
    if (wanted && this.control === undefined) {
      this.control = vscode.scm.createSourceControl('dsh', 'Agent Changes');
      this.control.inputBox.visible = false;
      this.control.quickDiffProvider = this.diffs;
    } else if (!wanted) {
      this.control?.dispose();
      this.control = undefined;
    }
  }

  private count(pending: number): void {
    if (this.control !== undefined) {
      this.control.count = pending;
    }
  }
}
