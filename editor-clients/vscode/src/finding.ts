/**
 * Where the server program is: the setting, the workspace's virtual environment, PATH, and the place that pipx uses.
 *
 * A restricted workspace has no say: VS Code withholds its value of the setting (`restrictedConfigurations`), and its
 * virtual environment is not looked at. Entries of PATH that are relative would mean the workspace, and are skipped.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

/** A program that can be started. */
export interface Found {
  readonly command: string;
  readonly from: 'setting' | 'workspace' | 'path';
}

/** There is none; `message` says what to do. */
export interface Missing {
  readonly message: string;
}

const WINDOWS = process.platform === 'win32';
const NAMES = WINDOWS ? ['dsh-lsp.exe', 'dsh-lsp.cmd'] : ['dsh-lsp'];

/** Look for the program. */
export function findServer(): Found | Missing {
  const set = vscode.workspace.getConfiguration('dsh').get<string>('server.path', '').trim();
  if (set !== '') {
    return fromSetting(set);
  }
  const command = inWorkspace();
  if (command !== undefined) {
    return { command, from: 'workspace' };
  }
  for (const folder of [...searchPath(), join(homedir(), '.local', 'bin')]) {
    const found = programIn(folder);
    if (found !== undefined) {
      return { command: found, from: 'path' };
    }
  }
  return {
    message:
      'The server dsh-lsp was not found: not in the workspace (.venv, venv), not on PATH. ' +
      'Install it (pipx install dsh-lsp), or name it in the setting dsh.server.path.',
  };
}

function fromSetting(set: string): Found | Missing {
  const command = set.startsWith('~/') ? join(homedir(), set.slice(2)) : set;
  if (!isAbsolute(command)) {
    return { message: 'The setting dsh.server.path must be an absolute path, or one that begins with ~/.' };
  }
  if (!isProgram(command)) {
    return { message: `The setting dsh.server.path names ${set}, and no program is there.` };
  }
  return { command, from: 'setting' };
}

function inWorkspace(): string | undefined {
  if (!vscode.workspace.isTrusted) {
    return undefined;
  }
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    if (folder.uri.scheme !== 'file') {
      continue;
    }
    for (const name of ['.venv', 'venv']) {
      const found = programIn(join(folder.uri.fsPath, name, WINDOWS ? 'Scripts' : 'bin'));
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}

function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
}

function programIn(folder: string): string | undefined {
  return NAMES.map((name) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
