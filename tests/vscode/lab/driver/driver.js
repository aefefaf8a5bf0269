// Lets a test run code in the extension host: it connects to the test's socket and does what comes, line by line.
'use strict';
const net = require('node:net');
const vscode = require('vscode');

const AsyncFunction = (async () => {}).constructor;

async function until(condition, what, within = 15000) {
  const deadline = Date.now() + within;
  for (;;) {
    const value = await condition();
    if (value) {
      return value;
    }
    if (Date.now() > deadline) {
      throw new Error(`not within ${within} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

exports.activate = () => {
  const socket = net.connect(process.env.DSH_TEST_DRIVER);
  const say = (message) => socket.write(JSON.stringify(message) + '\n');
  const ours = vscode.extensions.getExtension('dsh-lsp.dsh-lsp');
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  say({ folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null });
  socket.on('data', (data) => {
    const lines = (rest + data).split('\n');
    rest = lines.pop();
    for (const { id, code, args } of lines.map((line) => JSON.parse(line))) {
      Promise.resolve()
        .then(() => new AsyncFunction('vscode', 'args', 'until', 'ours', code)(vscode, args, until, ours))
        .then((value) => say({ id, value: value ?? null }))
        .catch((error) => say({ id, error: String(error?.stack ?? error) }));
    }
  });
};
