/** The way to the extension. */
import type { FromPage } from '../cards/card';

const vscode = acquireVsCodeApi();

/** Tell it something. */
export function tell(message: FromPage): void {
  vscode.postMessage(message);
}
