/**
 * The page of a webview: nothing is fetched from anywhere but this extension's own folder, no style or script stands in
 * the page, and what is in cards gets into it as text alone.
 */
import { randomBytes } from 'node:crypto';

import * as vscode from 'vscode';

/** What a webview may load. */
export function webviewOptions(extension: vscode.Uri): vscode.WebviewOptions {
  const roots = ['dist', 'media'].map((name) => vscode.Uri.joinPath(extension, name));
  return { enableScripts: true, localResourceRoots: roots };
}

/** The page. */
export function page(webview: vscode.Webview, extension: vscode.Uri, title: string): string {
  const nonce = randomBytes(16).toString('hex');
  const of = (...path: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${of('media', 'replay.css')}">
<link rel="stylesheet" href="${of('media', 'cards.css')}">
</head>
<body>
<main>
<h1 id="heading">${title}</h1>
<ul id="notes" class="notes" hidden></ul>
<div id="cards" role="feed" aria-labelledby="heading" aria-busy="false"></div>
<p id="empty" class="quiet">No agent has done anything yet.</p>
</main>
<script nonce="${nonce}" src="${of('dist', 'webview.js')}"></script>
</body>
</html>
`;
}
